package dense_test

import (
	flags "flag"
	"fmt"
	"hash/fnv"
	"math/rand"
	"testing"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/race"
)

var gatherCases = flags.Int("gathercases", 3000, "random calls of each gather to compare with the oracle, and half as many of its adjoint")

// operators are the three gathers.
var operators = []string{"Gather", "GatherElements", "GatherND"}

// runs is how many random calls are made: fewer in short tests, and under the
// race detector, which makes each six times as slow.
func runs(n int) int {
	if race.Enabled || testing.Short() {
		return n / 10
	}
	return n
}

// forAll runs a check of many random calls of each operator. A call that fails
// is printed with the bytes it was made of, which can be given to the fuzz
// target of the operator as they are.
func forAll(t *testing.T, n int, check func(s *source, op string) error) {
	for _, op := range operators {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			h := fnv.New64a()
			fmt.Fprint(h, t.Name())
			rng := rand.New(rand.NewSource(int64(h.Sum64())))
			for range runs(n) {
				s := randomSource(rng)
				made := s.Bytes
				if err := check(s, op); err != nil {
					t.Fatalf("%v\nmade of []byte(%q)", err, made)
				}
			}
		})
	}
}

// checkGather is a call of an operator on data of a random dtype.
func checkGather(s *source, op string) error {
	d := choice(s, dtypes)
	c := s.call(op)
	return errors.Wrapf(d.gather(c), "%v of %v", c, d)
}

// checkAdd is a call of an operator's adjoint on numbers of a random dtype.
func checkAdd(s *source, op string) error {
	d := choice(s, numbers)
	c := s.call(op)
	return errors.Wrapf(d.add(c), "adjoint of %v of %v", c, d)
}

// TestRandomCalls compares random calls with the oracle: ranks 1 to 5, every
// axis from both ends, batch dims, policies, dtypes and layouts, values and
// errors.
func TestRandomCalls(t *testing.T) { forAll(t, *gatherCases, checkGather) }

// TestRandomAdjoints does the same for the adjoints. The values of float types
// are multiples of no power of two, so that sums in another order would differ.
func TestRandomAdjoints(t *testing.T) { forAll(t, *gatherCases/2, checkAdd) }
