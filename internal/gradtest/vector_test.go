package gradtest

import (
	"errors"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

var errProbe = errors.New("probe")

// wants fails the test unless err is nil exactly when text is empty, and has the text otherwise.
func wants(t *testing.T, err error, text string) {
	t.Helper()
	switch {
	case text == "" && err != nil:
		t.Errorf("unexpected error: %v", err)
	case text != "" && err == nil:
		t.Errorf("no error, want one with %q", text)
	case text != "" && !strings.Contains(err.Error(), text):
		t.Errorf("error %q, want one with %q", err, text)
	}
}

// TestAdjointIdentity uses f(x) = (x0 + x2, x2, -x1).
func TestAdjointIdentity(t *testing.T) {
	f := func(x []float64) ([]float64, error) { return []float64{x[0] + x[2], x[2], -x[1]}, nil }
	for _, c := range []struct {
		name    string
		adjoint Linear
		want    string
	}{
		{"right", func(u []float64) ([]float64, error) { return []float64{u[0], -u[2], u[0] + u[1]}, nil }, ""},
		{"overwrites instead of adding", func(u []float64) ([]float64, error) { return []float64{u[0], -u[2], u[1]}, nil }, "<f(x), u> ="},
		{"permuted, same sum", func(u []float64) ([]float64, error) { return []float64{u[1], -u[2], u[0] + u[0]}, nil }, "<f(x), u> ="},
		{"wrong sign", func(u []float64) ([]float64, error) { return []float64{u[0], u[2], u[0] + u[1]}, nil }, "<f(x), u> ="},
		{"NaN", func([]float64) ([]float64, error) { return []float64{math.NaN(), 0, 0}, nil }, "<f(x), u> ="},
		{"wrong length", func(u []float64) ([]float64, error) { return u[:2], nil }, "2 values, the input has 3"},
		{"error", func([]float64) ([]float64, error) { return nil, errProbe }, "adjoint: probe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wants(t, AdjointIdentity(f, c.adjoint, 3, rand.New(rand.NewSource(1))), c.want)
		})
	}
	t.Run("rounding is not accepted", func(t *testing.T) {
		huge := func(x []float64) ([]float64, error) { return []float64{x[0] * 1e18}, nil }
		wants(t, AdjointIdentity(huge, huge, 1, rand.New(rand.NewSource(1))), "<f(x), u> =")
	})
	t.Run("forward error", func(t *testing.T) {
		failing := func([]float64) ([]float64, error) { return nil, errProbe }
		wants(t, AdjointIdentity(failing, f, 3, rand.New(rand.NewSource(1))), "forward: probe")
	})
}

// TestDifferences uses f(x, y) = (x0·y0, x1·x1·y0), so df = u0·(y0 dx0 + x0 dy0) + u1·(2·x1·y0 dx1 + x1·x1 dy0).
func TestDifferences(t *testing.T) {
	f := func(v [][]float64) ([]float64, error) {
		x, y := v[0], v[1]
		return []float64{x[0] * y[0], x[1] * x[1] * y[0]}, nil
	}
	right := func(v [][]float64, u []float64) ([][]float64, error) {
		x, y := v[0], v[1]
		return [][]float64{{u[0] * y[0], 2 * u[1] * x[1] * y[0]}, {u[0]*x[0] + u[1]*x[1]*x[1]}}, nil
	}
	// spoilt is the correct gradient after a change.
	spoilt := func(change func(g [][]float64) [][]float64) Gradient {
		return func(v [][]float64, u []float64) ([][]float64, error) {
			g, err := right(v, u)
			return change(g), err
		}
	}
	for _, c := range []struct {
		name     string
		gradient Gradient
		want     string
	}{
		{"right", right, ""},
		{"swapped within an input", spoilt(func(g [][]float64) [][]float64 { return [][]float64{{g[0][1], g[0][0]}, g[1]} }), "gradient of input 0 at [0]"},
		{"factor two missing", spoilt(func(g [][]float64) [][]float64 { return [][]float64{{g[0][0], g[0][1] / 2}, g[1]} }), "gradient of input 0 at [1]"},
		{"off by a thousandth", spoilt(func(g [][]float64) [][]float64 { return [][]float64{g[0], {g[1][0] * 1.001}} }), "gradient of input 1 at [0]"},
		{"NaN", spoilt(func(g [][]float64) [][]float64 { return [][]float64{g[0], {math.NaN()}} }), "gradient of input 1 at [0]"},
		{"input forgotten", spoilt(func(g [][]float64) [][]float64 { return g[:1] }), "of 1 inputs, not 2"},
		{"too short", spoilt(func(g [][]float64) [][]float64 { return [][]float64{g[0][:1], g[1]} }), "gradient of input 0: 1 values"},
		{"error", func([][]float64, []float64) ([][]float64, error) { return nil, errProbe }, "gradient: probe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wants(t, Differences(f, c.gradient, [][]float64{{3, -2}, {1.5}}, rand.New(rand.NewSource(1))), c.want)
		})
	}
	t.Run("function error", func(t *testing.T) {
		failing := func([][]float64) ([]float64, error) { return nil, errProbe }
		wants(t, Differences(failing, right, [][]float64{{3, -2}, {1.5}}, rand.New(rand.NewSource(1))), "function: probe")
	})
	t.Run("inputs stay as they were", func(t *testing.T) {
		xs := [][]float64{{3, -2}, {1.5}}
		wants(t, Differences(f, right, xs, rand.New(rand.NewSource(1))), "")
		if xs[0][0] != 3 || xs[0][1] != -2 || xs[1][0] != 1.5 {
			t.Errorf("inputs became %v", xs)
		}
	})
}

// TestDifferencesAtAKink: where three values tie, the central difference of max along each coordinate is 1/2. A gradient of
// three halves passes there, and only a direction through several coordinates shows that it is none.
func TestDifferencesAtAKink(t *testing.T) {
	f := func(v [][]float64) ([]float64, error) { return []float64{slices.Max(v[0])}, nil }
	for _, c := range []struct {
		name  string
		x     []float64
		parts []float64
		want  string
	}{
		{"no tie", []float64{1, 2, 1}, []float64{0, 1, 0}, ""},
		{"all to the first", []float64{1, 1, 1}, []float64{1, 0, 0}, "gradient of input 0 at [0]"},
		{"three halves", []float64{1, 1, 1}, []float64{.5, .5, .5}, "derivative along"},
	} {
		t.Run(c.name, func(t *testing.T) {
			gradient := func(_ [][]float64, u []float64) ([][]float64, error) {
				return [][]float64{{c.parts[0] * u[0], c.parts[1] * u[0], c.parts[2] * u[0]}}, nil
			}
			wants(t, Differences(f, gradient, [][]float64{c.x}, rand.New(rand.NewSource(1))), c.want)
		})
	}
}
