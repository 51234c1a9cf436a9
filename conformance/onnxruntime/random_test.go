package onnxruntime

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/require"
	ort "github.com/yalue/onnxruntime_go"
)

var (
	models = flag.Uint64("models", 2_000, "how many random models to compare")
	model1 = flag.Int64("model", -1, "compare this random model alone")
)

// RunFile runs a model with a result as a list and its shape.
func (r *Runtime) RunFile(file []byte, names []string, inputs []*Value) (Outcome, error) {
	s, err := ort.NewDynamicAdvancedSessionWithONNXData(file, names, []string{flatOutput, shapeOutput}, r.options)
	if err != nil {
		return failed(err), nil
	}
	defer func() { _ = s.Destroy() }()
	return r.run(s, inputs)
}

// TestRandomModels compares the values of random models with ONNX Runtime's, and their gradients on both machines with
// each other and, for double, with differences along random directions.
func TestRandomModels(t *testing.T) {
	r := openRuntime(t)
	numbers := []uint64{}
	for i := range *models {
		numbers = append(numbers, i)
	}
	if *model1 >= 0 {
		numbers = []uint64{uint64(*model1)}
	}
	outcomes, ops := tally{}, tally{}
	failures := 0
	fail := func(m *RandomModel, format string, args ...any) {
		if failures++; failures <= maxReported {
			t.Errorf("go test ./onnxruntime -run TestRandomModels -seed %d -model %d # %v", m.Seed, m.Number, m)
			t.Errorf(format, args...)
		}
	}
	for _, number := range numbers {
		m := NewRandomModel(*seed, number)
		theirs, err := r.RunFile(m.File(true), m.Names, m.Inputs)
		require.NoError(t, err)
		if theirs.Lacking {
			outcomes["ONNX Runtime has no kernel"]++
			continue
		}
		ours, err := forward(m, nil, 0)
		if err != nil || theirs.Err != nil {
			fail(m, "ours: %+v\nONNX Runtime: %v", err, theirs.Err)
			continue
		}
		tolerance := 1e-11
		if m.DType == Float {
			tolerance = 2e-5
		}
		y := ours.floats()
		if !slices.Equal(ours.Shape, theirs.Value.Shape) || ours.DType != theirs.Value.DType || !near(y, theirs.Value.floats(), tolerance) {
			fail(m, "ours: %v\nONNX Runtime: %v", ours.print(), theirs.Value.print())
			continue
		}
		outcomes["the same values"]++
		for _, op := range m.ops {
			ops[op]++
		}
		what, err := m.checkGradients(y)
		if err != nil {
			fail(m, "%v", err)
			continue
		}
		outcomes[what]++
	}
	t.Logf("ONNX Runtime %s, seed %d, %d models\n%v", r.Version(), *seed, len(numbers), outcomes)
	t.Logf("operators in models with the same values\n%v", ops)
	require.Zero(t, failures)
	if *models >= 2_000 && *model1 < 0 {
		for _, op := range drawings {
			if op.name != "Reshape computed" {
				// Some need three axes, float, or a late opset.
				require.Positive(t, ops[op.name], "none of %s", op.name)
			}
		}
		require.Greater(t, outcomes["gradients agree with differences"], int(*models)/3)
		require.Less(t, outcomes["a kink is near"], int(*models)/20)
	}
}

// checkGradients says what became of the comparison of gradients.
func (m *RandomModel) checkGradients(y []float64) (string, error) {
	rng := rand.New(rand.NewPCG(m.Seed, 2*m.Number+1))
	normals := func(n int) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = rng.NormFloat64()
		}
		return list
	}
	u := normals(len(y))
	tape, err := backward(m, false, u, nil, 0)
	if err != nil {
		return "", errors.WithMessage(err, "TapeMachine")
	}
	lisp, err := backward(m, true, u, nil, 0)
	if err != nil {
		return "", errors.WithMessage(err, "LispMachine")
	}
	tolerance := 1e-11
	if m.DType == Float {
		tolerance = 1e-4
	}
	for i := range tape {
		if !near(tape[i], lisp[i], tolerance) {
			return "", errors.Errorf("gradients of %s: TapeMachine %v, LispMachine %v", m.Names[i], tape[i], lisp[i])
		}
	}
	if m.DType == Float {
		return "gradients of the two machines agree", nil
	}
	const h = 1e-5
	for range 2 {
		direction := make([][]float64, len(m.Inputs))
		for i, in := range m.Inputs {
			direction[i] = normals(elements(in.Shape))
		}
		slopeAt := func(h float64) (float64, error) {
			grads, err := backward(m, false, u, direction, h)
			if err != nil {
				return 0, err
			}
			return dot(grads, direction), nil
		}
		above, err := forward(m, direction, h)
		if err != nil {
			return "", err
		}
		below, err := forward(m, direction, -h)
		if err != nil {
			return "", err
		}
		a, b := above.floats(), below.floats()
		want, size := 0.0, 0.0
		for i := range u {
			want += u[i] * (a[i] - b[i]) / (2 * h)
			size += math.Abs(u[i] * a[i])
		}
		got := dot(tape, direction)
		// A difference of large sums is less exact.
		if math.Abs(got-want) <= 1e-6*max(1, math.Abs(want), size) {
			continue
		}
		// Where the gradient itself changes within the step, a difference tells nothing.
		left, err := slopeAt(-h)
		if err != nil {
			return "", err
		}
		right, err := slopeAt(h)
		if err != nil {
			return "", err
		}
		if math.Abs(left-right) > math.Abs(got-want) {
			return "a kink is near", nil
		}
		return "", errors.Errorf("derivative %v, difference %v; derivatives at the ends of the step %v, %v", got, want, left, right)
	}
	return "gradients agree with differences", nil
}
