package console

import (
	"math"
	"strconv"

	"github.com/pkg/errors"
)

// Size is a flag: a whole number that may be written as 1e7, too.
type Size int

// String is the number.
func (n *Size) String() string { return strconv.Itoa(int(*n)) }

// Set reads a number.
func (n *Size) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
		return errors.New("a whole number is needed, such as 5000 or 1e7")
	}
	*n = Size(x)
	return nil
}
