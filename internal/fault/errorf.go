// Package fault words errors: those that are a sentinel without ending in its
// text, and what messages quote of names and shapes that others have chosen.
package fault

import (
	"fmt"
	"math/bits"

	"github.com/pkg/errors"
)

// Errorf makes an error with a stack trace that is the sentinel to errors.Is and
// to the Cause of github.com/pkg/errors, and whose text is the given one alone.
// With the sentinel's behind it a text that says what is allowed would end twice:
// "integers are allowed: dtype not allowed".
func Errorf(sentinel error, format string, args ...any) error {
	return errors.WithStack(&marked{fmt.Sprintf(format, args...), sentinel})
}

// Countable reports whether a tensor of the shape can exist: no dim is negative, and their product
// fits an int. Index arithmetic on another would wrap.
func Countable(shape []int) bool {
	all := uint(0)
	for _, n := range shape {
		all |= uint(n)
	}
	return len(shape) < len(safeBits) && all>>safeBits[len(shape)] == 0 || fits(shape)
}

// safeBits is how many bits each dim may have, by the rank, for a product that fits in any case.
var safeBits = [...]uint8{intBits, intBits, intBits / 2, intBits / 3, intBits / 4, intBits / 5, intBits / 6}

const intBits = bits.UintSize - 1

func fits(shape []int) bool {
	size, beyond := uint(1), uint(0)
	for _, n := range shape {
		high, low := bits.Mul(size, uint(n))
		beyond |= high | low>>(bits.UintSize-1) | uint(n)>>(bits.UintSize-1)
		size = low
	}
	return beyond == 0
}

// Uncountable is Errorf about the shape of an argument that no tensor can have: with a negative
// dim, or with more elements than an int can count.
func Uncountable(sentinel error, op, argument string, shape []int) error {
	for axis, n := range shape {
		if n < 0 {
			return Errorf(sentinel, "%s: %s shape %v has the negative dim %d at axis %d", op, argument, Shape(shape), n, axis)
		}
	}
	return Errorf(sentinel, "%s: %s shape %v has more elements than an int can count", op, argument, Shape(shape))
}

// marked is a text of its own for a sentinel.
type marked struct {
	text     string
	sentinel error
}

// Error is the text alone.
func (e *marked) Error() string { return e.text }

// Unwrap is the sentinel.
func (e *marked) Unwrap() error { return e.sentinel }

// Cause is the sentinel.
func (e *marked) Cause() error { return e.sentinel }

// Reword makes an error of another text.
func Reword(err error, text string) error { return &reworded{err, text} }

type reworded struct {
	cause error
	text  string
}

// Error is the new text.
func (e *reworded) Error() string { return e.text }

// Unwrap is the error with the old text.
func (e *reworded) Unwrap() error { return e.cause }

// Cause is the error with the old text.
func (e *reworded) Cause() error { return e.cause }

// Format prints the stack trace of the cause for %+v.
func (e *reworded) Format(s fmt.State, verb rune) {
	switch {
	case verb == 'v' && s.Flag('+'):
		fmt.Fprintf(s, "%s\n%+v", e.text, e.cause)
	case verb == 'q':
		fmt.Fprintf(s, "%q", e.text)
	default:
		fmt.Fprint(s, e.text)
	}
}
