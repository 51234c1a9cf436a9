package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// Advice to the system about memory of files changes nothing of what it holds. So an
// error of it is none of those who give it.

// mostWanted is how many bytes are asked for at once: the system cuts off what is
// beyond the read-ahead of the disk, of which 128 KiB are the default.
const mostWanted = 128 << 10

// random tells the system that pages are wanted one by one: a page that is touched is
// read alone, and not with all that lies around it.
func (m *Mapped) random() {
	_ = call("madvise", m.file.path, func() error { return unix.Madvise(m.mem, unix.MADV_RANDOM) })
}

// WillNeed asks for the pages of some bytes, and returns when the disk has been asked
// and not when they are there. It is fadvise, which for a page that is in memory
// takes half as long as madvise.
func (m *Mapped) WillNeed(from, to int) {
	to = min(to, len(m.mem))
	for from = max(from, 0); from < to; from += mostWanted {
		m.willNeed(int64(from), int64(min(mostWanted, to-from)))
	}
}

func (m *Mapped) willNeed(from, size int64) {
	if interceptor.Load() == nil { // the closure below is an allocation
		_ = unix.Fadvise(int(m.file.file.Fd()), from, size, unix.FADV_WILLNEED)
		return
	}
	_ = call("fadvise", m.file.path, func() error {
		return unix.Fadvise(int(m.file.file.Fd()), from, size, unix.FADV_WILLNEED)
	})
}

// Waited is how many pages this thread has touched that had to be read then, and which
// thread it is. To count those of all threads takes ten microseconds where caches are cold.
func Waited() (times int64, thread int) {
	return int64(usage(unix.RUSAGE_THREAD).Majflt), unix.Gettid()
}

// Read is how many bytes this thread has asked disks for. Not all file systems that
// are no disks count it.
func Read() int64 { return int64(usage(unix.RUSAGE_THREAD).Inblock) * 512 }

func usage(who int) (u unix.Rusage) {
	_ = unix.Getrusage(who, &u) // zeros
	return u
}

// PageSize is how many bytes are read at least.
var PageSize = os.Getpagesize()
