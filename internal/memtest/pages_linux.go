package memtest

import (
	"syscall"
	"testing"
)

// Paged is n bytes that no one may look beyond: they end where a page starts
// that cannot be read, or start where such a page ends. Guard words would not
// show a loop that only reads too far.
func Paged(t *testing.T, n int, atEnd bool) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	inner := (n + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, inner+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	for _, closed := range [][]byte{mem[:page], mem[page+inner:]} {
		if err := syscall.Mprotect(closed, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	from := page
	if atEnd {
		from += inner - n
	}
	return mem[from:][:n:n]
}
