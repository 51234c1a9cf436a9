package fault

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pkg/errors"
)

// TestErrorf finds the sentinel in an error that does not spell it.
func TestErrorf(t *testing.T) {
	axis := errors.New("axis out of range")
	err := errors.WithMessage(Errorf(axis, "axis %d is not in [%d, %d]", 3, -2, 1), "Gather")
	if want := "Gather: axis 3 is not in [-2, 1]"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if !errors.Is(err, axis) || errors.Cause(err) != axis {
		t.Errorf("%v is not %v", err, axis)
	}
	if errors.Is(err, errors.New("axis out of range")) {
		t.Errorf("%v is another error of the same text", err)
	}
	if trace := fmt.Sprintf("%+v", err); !strings.Contains(trace, "TestErrorf") {
		t.Errorf("no stack trace in %q", trace)
	}
}

// TestCountable counts the elements of shapes whose dims are about the largest that need no product, in big.Int.
func TestCountable(t *testing.T) {
	dims := []int{0, 1, 3, -1, math.MaxInt, math.MinInt}
	for rank := 1; rank <= 9; rank++ {
		dims = append(dims, 1<<(intBits/rank)-1, 1<<(intBits/rank), 1<<(intBits/rank+1)-1)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[bool]int{}
	for range 100_000 {
		shape, want, product := make([]int, rng.IntN(10)), true, big.NewInt(1)
		for d, even := 0, dims[rng.IntN(len(dims))]; d < len(shape); d++ {
			shape[d] = even
			if rng.IntN(4) == 0 {
				shape[d] = dims[rng.IntN(len(dims))]
			}
			product.Mul(product, big.NewInt(int64(shape[d])))
			want = want && shape[d] >= 0 && product.IsInt64() && int64(int(product.Int64())) == product.Int64()
		}
		seen[want]++
		if got := Countable(shape); got != want {
			t.Fatalf("Countable(%v) is %v, the product is %v", shape, got, product)
		}
	}
	if min(seen[true], seen[false]) < 10_000 {
		t.Errorf("of the shapes %d are countable and %d are not", seen[true], seen[false])
	}
}
