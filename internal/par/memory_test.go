package par

import (
	"bytes"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/simd"
)

// TestCopyAndClear does so with lengths around a piece and around what is short.
func TestCopyAndClear(t *testing.T) {
	const guard = 0xA5
	for _, n := range []int{0, 1, shortBytes, shortBytes + 1, simd.RowBytesAtOnce, simd.RowBytesAtOnce + 1, simd.CachedBytes + 100, clearAtOnce + 7} {
		memory := bytes.Repeat([]byte{guard}, n+2)
		to := memory[1 : n+1]
		from := make([]byte, n)
		for i := range from {
			from[i] = byte(i * 7 / 5)
		}
		Copy(to, from)
		if !bytes.Equal(to, from) {
			t.Errorf("%d bytes are copied wrongly", n)
		}
		Clear(to)
		if !bytes.Equal(to, make([]byte, n)) {
			t.Errorf("%d bytes are cleared wrongly", n)
		}
		if memory[0] != guard || memory[n+1] != guard {
			t.Errorf("memory beside %d bytes is written", n)
		}
	}
	const n = simd.RowBytesAtOnce/16 + 3
	words := make([]string, n)
	words[0], words[n-1] = "first", "last"
	to := make([]string, n)
	if Copy(to, words); !slices.Equal(to, words) {
		t.Error("strings are copied wrongly")
	}
	if Clear(to); !slices.Equal(to, make([]string, n)) {
		t.Error("strings are cleared wrongly")
	}
}

// TestRepeat: elements are repeated to the end, the last perhaps in part, and nothing behind it.
func TestRepeat(t *testing.T) {
	for _, n := range []int{0, 1, 5, 12, 13, repeatedBytes, repeatedBytes + 1, 5*repeatedBytes + 7} {
		for _, width := range []int{1, 4, 12} {
			elements, to := make([]byte, width), make([]byte, n+1)
			for i := range elements {
				elements[i] = byte(i + 1)
			}
			Repeat(to[:n], elements)
			for i, x := range to[:n] {
				if x != elements[i%width] {
					t.Fatalf("%d bytes of %d: byte %d is %d", n, width, i, x)
				}
			}
			if to[n] != 0 {
				t.Errorf("%d bytes of %d: one more was written", n, width)
			}
		}
	}
}
