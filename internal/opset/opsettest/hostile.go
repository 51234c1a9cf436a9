package opsettest

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a hostile file may cost is no more than Factor times its size and what a
// call takes anyway.
const (
	Factor = 16
	Anyway = 64 << 10
)

// The sizes of hostile files. What a part of a file costs shows from some
// thousands of parts on, and that a cost grows with the square of the size shows
// in a file that is four times as large.
const (
	Small = 64 << 10
	Large = 4 * Small
)

// Grows demands that what it takes to read a file grows no more than the file
// does, from a small one to a large one.
func Grows[File ~string | ~[]byte](t *testing.T, small, large File, read func(File) uint64) {
	t.Helper()
	ratio := float64(len(large)) / float64(len(small))
	assert.LessOrEqual(t, float64(read(large)), 1.2*ratio*float64(read(small))+Anyway)
}

// Within demands that a file of so many bytes takes no more memory than it may, and
// returns what it takes.
func Within(t *testing.T, size int, used uint64) uint64 {
	t.Helper()
	assert.LessOrEqual(t, used, uint64(Factor*size+Anyway), "%.1f times %d bytes", float64(used)/float64(size), size)
	return used
}

// Allocated is how many bytes f allocates, garbage included.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Unique is the shortest name of those letters that no other i has.
func Unique(i int, letters string) string {
	name := []byte{letters[i%len(letters)]}
	for i /= len(letters); i > 0; i /= len(letters) {
		name = append(name, letters[i%len(letters)])
	}
	return string(name)
}
