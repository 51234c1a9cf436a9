package opset

import (
	"bytes"
	"io"
	"math"
	"os"
	"reflect"
	"strings"

	"github.com/pkg/errors"
)

// emptyReads is how many reads in a row may give nothing before reading ends,
// as in package bufio: a reader could go on like that for ever.
const emptyReads = 100

// leastPiece is the size of the smallest piece that is read, in bytes.
const leastPiece = 512

// ReadAll reads to the end, but no more than limit + 1 bytes, so that the caller
// sees that there are too many. It allocates a little more than twice what it
// reads, and what there is alone where the reader's type tells how much that is.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	if isNil(r) {
		return nil, errors.Errorf("the reader is nil (%T)", r)
	}
	var pieces [][]byte
	var total int64
	piece := make([]byte, 0, firstPiece(r, limit))
	for empty := 0; ; {
		if len(piece) == cap(piece) {
			// The second piece is small: where the first one was all that there is,
			// it stays empty. The others are in proportion, so that they are few and
			// the last one is not mostly empty.
			size := int64(leastPiece)
			if len(pieces) > 0 {
				size = max(leastPiece, total/4)
			}
			pieces = append(pieces, piece)
			piece = make([]byte, 0, size)
		}
		room := piece[len(piece):cap(piece)]
		n, err := r.Read(room[:min(int64(len(room)), limit+1-total)])
		if n < 0 || n > len(room) {
			return nil, errors.Errorf("%T read %d bytes into a buffer of %d", r, n, len(room))
		}
		piece, total = piece[:len(piece)+n], total+int64(n)
		switch {
		case err == io.EOF || total > limit:
			return join(pieces, piece, total), nil
		case err != nil:
			return nil, errors.WithStack(err)
		case n > 0:
			empty = 0
		default:
			if empty++; empty == emptyReads {
				return nil, errors.WithStack(io.ErrNoProgress)
			}
		}
	}
}

func join(pieces [][]byte, last []byte, total int64) []byte {
	if len(pieces) == 0 {
		return last
	}
	if len(pieces) == 1 && len(last) == 0 {
		return pieces[0]
	}
	all := make([]byte, 0, total)
	for _, p := range pieces {
		all = append(all, p...)
	}
	return append(all, last...)
}

// firstPiece is the size of the first piece: what the reader holds, where it is
// of a type that can be believed.
func firstPiece(r io.Reader, limit int64) int64 {
	var size int64
	switch r := r.(type) {
	case *bytes.Reader:
		size = int64(r.Len())
	case *bytes.Buffer:
		size = int64(r.Len())
	case *strings.Reader:
		size = int64(r.Len())
	case *os.File:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	return max(leastPiece, min(size, limit+1, math.MaxInt))
}

// isNil tells a reader that is none, also where its type hides that: a nil
// *bytes.Buffer in an interface is not nil, and its methods panic.
func isNil(r io.Reader) bool {
	v := reflect.ValueOf(r)
	return !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Func) && v.IsNil()
}
