//go:build linux || darwin

package embedding_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/tensor"
)

// A failure is a way in which a call of the system fails.
type failure struct {
	name  string
	errno syscall.Errno
	made  bool // the call is made, and fails all the same, as on a network it can
	ever  bool // and so do all that follow: the process is killed, or is out of something
}

var failures = []failure{
	{name: "EIO", errno: syscall.EIO},
	{name: "EMFILE", errno: syscall.EMFILE},
	{name: "ENOSPC", errno: syscall.ENOSPC},
	{name: "EINTR", errno: syscall.EINTR},
	{name: "EIO after the call", errno: syscall.EIO, made: true},
	{name: "killed", errno: syscall.EIO, ever: true},
}

// calls are those of the system on what is below a folder. Those of number fail on
// fail; with number 0 none does.
type calls struct {
	folder string
	fail   failure
	number int

	mu   sync.Mutex // memory that nobody reaches is given back meanwhile
	made []string
}

func (c *calls) intercept(name, path string, do func() error) error {
	if !strings.HasPrefix(path, c.folder) {
		return do()
	}
	c.mu.Lock()
	c.made = append(c.made, name+" "+strings.TrimPrefix(path, c.folder))
	n := len(c.made)
	c.mu.Unlock()
	fails := n == c.number || c.fail.ever && c.number > 0 && n > c.number
	switch {
	case !fails && (name == "fsync" || name == "msync"): // which takes long and changes nothing
		return nil
	case !fails:
		return do()
	case name == "close" || c.fail.ever && (name == "munmap" || name == "unlock"):
		// What the end of a process does, too. A close that fails has closed.
		err := do()
		if err != nil || c.fail.ever {
			return err
		}
	case c.fail.made && !slices.Contains([]string{"open", "mmap", "fsync", "msync"}, name):
		if err := do(); err != nil {
			return err
		}
	}
	return &fs.PathError{Op: name, Path: path, Err: c.fail.errno}
}

// A scenario is a call of this package: begin makes what it finds, check says what must
// hold after it. An error is one of the system's then.
type scenario struct {
	name  string
	begin func(t *testing.T, folder string) (call func() error, check func(err error))
}

var everyFailure = flag.Bool("everyfailure", false, "let every call of the system fail in every way, not in one way of four")

// TestFailingCalls makes every call of the system fail, in every way with
// -everyfailure, and otherwise in one of part ways: with -short some calls in none.
func TestFailingCalls(t *testing.T) {
	part := 4
	if testing.Short() {
		part = 12
	}
	failed, ran := 0, 0
	for _, s := range scenarios {
		run := func(t *testing.T, fail failure, number int) *calls {
			t.Helper()
			folder := memoryFolder(t)
			defer files.Intercept((&calls{folder: folder}).intercept)()
			call, check := s.begin(t, folder)
			c := &calls{folder: folder, fail: fail, number: number}
			restore := files.Intercept(c.intercept)
			err := call()
			restore()
			if err != nil && (number == 0 || fail.errno == syscall.EINTR) {
				t.Fatalf("%+v", err)
			}
			if err != nil && !errors.Is(err, fail.errno) && !fail.made {
				t.Errorf("error %v, want %v", err, fail.errno)
			}
			check(err)
			if open := openFiles(t, folder); len(open) > 0 {
				t.Errorf("error %v: files are still open: %v", err, open)
			}
			return c
		}
		t.Run(s.name, func(t *testing.T) {
			ran++
			all := run(t, failure{}, 0).made
			for i, name := range all {
				for way, fail := range failures {
					// A file that is read in parts fails at each of them in two ways.
					if again := slices.Index(all, name) < i; again && fail.name != "EIO" && !fail.ever {
						continue
					}
					if !*everyFailure && (i+way)%part > 0 {
						continue
					}
					t.Run(fmt.Sprintf("%d %s %s", i+1, name, fail.name), func(t *testing.T) { run(t, fail, i+1) })
					failed++
				}
			}
			t.Logf("%d calls: %s", len(all), strings.Join(all, ", "))
		})
	}
	t.Logf("%d calls failed", failed)
	least := 2000 // fewer would mean that calls are made elsewhere now
	if !*everyFailure {
		least /= part
	}
	if failed < least && ran == len(scenarios) {
		t.Errorf("%d calls failed, want %d at least", failed, least)
	}
}

// memoryFolder is a folder in memory, where the system has one: it is faster.
func memoryFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/dev/shm", "embedding-test-")
	if err != nil {
		folder = t.TempDir()
	}
	t.Cleanup(func() { ok(t, os.RemoveAll(folder)) })
	folder, err = filepath.EvalSymlinks(folder)
	ok(t, err)
	return folder
}

// openFiles are the files below a folder that this process has open, where the system
// says it.
func openFiles(t *testing.T, folder string) (all []string) {
	if runtime.GOOS != "linux" {
		return nil
	}
	entries, err := os.ReadDir("/proc/self/fd")
	ok(t, err)
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(to, folder) {
			all = append(all, to)
		}
	}
	return all
}

// trained is the pair of a seed after so many steps.
func trained(t *testing.T, seed uint64, steps int) pair {
	p := newPair(t, seed)
	p.train(t, newAdam(t), 0, steps)
	return p
}

// equal tells whether two pairs have the same bits.
func (p pair) equal(t *testing.T, other pair) bool {
	return slices.Equal(bits(t, p["items"]), bits(t, other["items"])) && slices.Equal(bits(t, p[odd]), bits(t, other[odd]))
}

// inFile puts one of the tables in a file.
func (p pair) inFile(t *testing.T, folder string, seed uint64) {
	t.Helper()
	items, err := embedding.Create(filepath.Join(folder, "items.npy"), tensor.Float32, 30, 5, embedding.Normal(seed, 0, 1))
	ok(t, err)
	p["items"] = items
}

var scenarios = []scenario{
	{"first Save", func(t *testing.T, folder string) (func() error, func(error)) {
		dir := filepath.Join(folder, "a", "b")
		p, o := newPair(t, 1), newAdam(t)
		p.train(t, o, 0, 5)
		return func() error { return embedding.Save(dir, p, o) }, func(err error) {
			q, oq := newPair(t, 2), newAdam(t)
			loading := embedding.Load(dir, q, oq)
			if err == nil || !errors.Is(loading, fs.ErrNotExist) {
				ok(t, loading)
				q.same(t, "loaded", p)
			}
			ok(t, embedding.Save(dir, p, o))
			ok(t, embedding.Load(dir, q, oq))
			q.same(t, "saved again", p)
		}
	}},
	{"Save", func(t *testing.T, folder string) (func() error, func(error)) {
		dir := filepath.Join(folder, "checkpoint")
		p, o := newPair(t, 1), newAdam(t)
		p.inFile(t, folder, 1)
		p.train(t, o, 0, 5)
		ok(t, embedding.Save(dir, p, o))
		p.train(t, o, 5, 8)
		return func() error { return embedding.Save(dir, p, o) }, func(err error) {
			defer p["items"].Close()
			q, oq := newPair(t, 2), newAdam(t)
			ok(t, embedding.Load(dir, q, oq))
			from := 8
			if !q.equal(t, p) {
				from = 5
				q.same(t, "the old generation", trained(t, 1, 5))
			}
			told := err != nil && strings.Contains(err.Error(), "counts")
			if from == 8 != (err == nil || told) && !(told && strings.Contains(err.Error(), "or the new one")) {
				t.Errorf("%d steps were saved, the error is %v", from, err)
			}
			q.train(t, oq, from, 10)
			q.same(t, "trained further", trained(t, 1, 10))
			ok(t, embedding.Save(dir, p, o))
			ok(t, embedding.Load(dir, q, oq))
			q.same(t, "saved again", p)
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
				t.Errorf("the folder holds %v, error %v", entries, err)
			}
		}
	}},
	{"Load", func(t *testing.T, folder string) (func() error, func(error)) {
		dir := filepath.Join(folder, "checkpoint")
		p, o := newPair(t, 1), newAdam(t)
		p.train(t, o, 0, 5)
		ok(t, embedding.Save(dir, p, o))
		q, oq := newPair(t, 7), newAdam(t)
		q.inFile(t, folder, 7)
		update(t, oq, q[odd], 3)
		before := newPair(t, 7)
		update(t, newAdam(t), before[odd], 3)
		return func() error { return embedding.Load(dir, q, oq) }, func(err error) {
			defer q["items"].Close()
			switch {
			case err == nil:
				q.same(t, "loaded", p)
			case !strings.Contains(err.Error(), "in part; Load again"):
				q.same(t, "after the error", before)
			}
			ok(t, embedding.Load(dir, q, oq))
			q.same(t, "loaded again", p)
			q.train(t, oq, 5, 8)
			q.same(t, "trained further", trained(t, 1, 8))
		}
	}},
	{"Create", func(t *testing.T, folder string) (func() error, func(error)) {
		path := filepath.Join(folder, "items.npy")
		var table *embedding.Table
		create := func() (err error) {
			table, err = embedding.Create(path, tensor.Float32, 30, 5, embedding.Normal(1, 0, 1))
			return err
		}
		return create, func(err error) {
			if err != nil {
				if _, there := os.Stat(path); there == nil {
					table, err = embedding.Open(path)
					ok(t, err)
				} else {
					if strings.Contains(err.Error(), "can be opened") {
						t.Errorf("there is no file, the error is %v", err)
					}
					ok(t, create())
				}
			}
			sameBits(t, "the table", bits(t, table), bits(t, newPair(t, 1)["items"]))
			ok(t, table.Close())
			if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
				t.Errorf("the folder holds %v, error %v", entries, err)
			}
		}
	}},
	{"Open", func(t *testing.T, folder string) (func() error, func(error)) { return opening(t, folder) }},
	{"Open with WithReadOnly", func(t *testing.T, folder string) (func() error, func(error)) {
		return opening(t, folder, embedding.WithReadOnly())
	}},
	{"first step", func(t *testing.T, folder string) (func() error, func(error)) {
		p, o := pair{}, newAdam(t)
		p.inFile(t, folder, 1)
		return stepping(t, folder, p["items"], o, 0)
	}},
	{"first step, with states of a former name", func(t *testing.T, folder string) (func() error, func(error)) {
		p := pair{}
		p.inFile(t, folder, 1)
		update(t, newAdam(t), p["items"], 0)
		ok(t, p["items"].Close())
		ok(t, os.Rename(filepath.Join(folder, "items.npy.adam"), filepath.Join(folder, "items.adam")))
		items, err := embedding.Open(filepath.Join(folder, "items.npy"))
		ok(t, err)
		return stepping(t, folder, items, newAdam(t), 1)
	}},
	{"Sync", func(t *testing.T, folder string) (func() error, func(error)) {
		p, o := pair{}, newAdam(t)
		p.inFile(t, folder, 1)
		update(t, o, p["items"], 0)
		_, check := stepping(t, folder, p["items"], o, 1)
		return p["items"].Sync, func(error) {
			ok(t, p["items"].Sync())
			check(errors.New("no step was made"))
		}
	}},
	{"Close", func(t *testing.T, folder string) (func() error, func(error)) {
		p := pair{}
		p.inFile(t, folder, 1)
		update(t, newAdam(t), p["items"], 0)
		return p["items"].Close, func(error) {
			ok(t, p["items"].Close()) // again: it is closed
			items, err := embedding.Open(filepath.Join(folder, "items.npy"))
			ok(t, err)
			_, check := stepping(t, folder, items, newAdam(t), 1)
			check(errors.New("no step was made"))
		}
	}},
}

// opening opens a table.
func opening(t *testing.T, folder string, opts ...embedding.TableOption) (func() error, func(error)) {
	p := pair{}
	p.inFile(t, folder, 1)
	want := bits(t, p["items"])
	ok(t, p["items"].Close())
	var table *embedding.Table
	open := func() (err error) {
		table, err = embedding.Open(filepath.Join(folder, "items.npy"), opts...)
		return err
	}
	return open, func(err error) {
		if err != nil {
			ok(t, open())
		}
		sameBits(t, "the table", bits(t, table), want)
		ok(t, table.Close())
	}
}

// stepping makes step k of a training. After an error no step has been made, nothing
// is lost, and training goes on, also by those who open the table anew.
func stepping(t *testing.T, folder string, table *embedding.Table, o embedding.Optimizer, k int) (func() error, func(error)) {
	t.Helper()
	want, ow := newPair(t, 1)["items"], newAdam(t)
	for i := range k {
		update(t, ow, want, i)
	}
	return func() error { return step(t, o, table, k) }, func(err error) {
		t.Helper()
		if err != nil {
			sameBits(t, "after the error", bits(t, table), bits(t, want))
			update(t, o, table, k)
		}
		update(t, ow, want, k)
		sameBits(t, "after the step", bits(t, table), bits(t, want))
		ok(t, table.Close())
		table, err := embedding.Open(filepath.Join(folder, "items.npy"))
		ok(t, err)
		defer table.Close()
		update(t, newAdam(t), table, k+1)
		update(t, ow, want, k+1)
		sameBits(t, "opened anew", bits(t, table), bits(t, want))
		if entries, err := os.ReadDir(folder); err != nil || len(entries) != 2 {
			t.Errorf("the folder holds %v, error %v", entries, err)
		}
	}
}
