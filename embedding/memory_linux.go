package embedding

import (
	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// hugePage is the size of a huge page where ordinary ones have 4 KiB.
const hugePage = 2 << 20

// mapHuge is n bytes of zeros outside of Go's heap, at the start of a huge page, in
// huge pages if the system grants them, and all that was mapped for it.
func mapHuge(n int) (all, bytes []byte, err error) {
	if n > int(^uint(0)>>1)-2*hugePage {
		return nil, nil, errors.Errorf("%d bytes of memory are more than can be addressed", n)
	}
	all, err = unix.Mmap(-1, 0, n+2*hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, errors.Wrapf(err, "%d bytes of memory", n)
	}
	from := -int(address(all)) & (hugePage - 1)
	// The last huge page is whole.
	whole := (n + hugePage - 1) &^ (hugePage - 1)
	// Without huge pages it is slower, and as good.
	_ = unix.Madvise(all[from:from+whole], unix.MADV_HUGEPAGE)
	return all, all[from : from+n : from+n], nil
}

func unmap(all []byte) error { return errors.Wrap(unix.Munmap(all), "unmapping a table") }
