package onnxruntime

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

var (
	cases  = flag.Uint64("cases", 20_000, "how many cases to compare")
	seed   = flag.Uint64("seed", 1, "the seed of the cases")
	only   = flag.String("op", "", "compare only cases of this operator, such as GatherND")
	number = flag.Int64("case", -1, "compare this case alone, and print its values")
)

// library names the environment variable that holds the path of ONNX Runtime's shared library.
const library = "ONNXRUNTIME_LIB"

// openRuntime loads ONNX Runtime, or skips the test.
func openRuntime(t *testing.T) *Runtime {
	t.Helper()
	path := os.Getenv(library)
	if path == "" {
		t.Skipf("%s is not set: conformance/install.sh DIR installs ONNX Runtime and prints the path to set it to", library)
	}
	r, err := NewRuntime(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// eval runs a case on the operators under test.
func eval(c *Case) Outcome {
	inputs := make([]tensor.Tensor, 0, len(c.Inputs))
	for i, in := range c.Inputs {
		inputs = append(inputs, in.Dense(c.layout(i)))
	}
	out, err := onnx.Eval(onnx.Node{OpType: c.OpType, Opset: c.Opset, Attributes: c.Attributes}, inputs...)
	if err != nil {
		return Outcome{Err: err}
	}
	v, err := fromDense(out)
	return Outcome{Value: v, Err: err}
}

// disagreement returns in what the two outcomes disagree, or "".
func disagreement(ours, theirs Outcome) string {
	switch {
	case ours.Err != nil && theirs.Err != nil:
		return ""
	case ours.Err != nil:
		return fmt.Sprintf("error %q, ONNX Runtime gives %v%v", ours.Err, theirs.Value.DType, theirs.Value.Shape)
	case theirs.Err != nil:
		return fmt.Sprintf("gives %v%v, ONNX Runtime an error: %v", ours.Value.DType, ours.Value.Shape, theirs.Err)
	}
	return compare(ours.Value.widen(), theirs.Value)
}

// rerun returns the line that runs one case again.
func rerun(c *Case) string {
	return fmt.Sprintf("go test ./onnxruntime -run TestDifferential -seed %d -case %d -v # %v", c.Seed, c.Number, c)
}

// tally counts cases by what became of them.
type tally map[string]int

func (n tally) String() string {
	lines := make([]string, 0, len(n))
	for what, count := range n {
		lines = append(lines, fmt.Sprintf("%8d %s", count, what))
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i][9:] < lines[j][9:] })
	return strings.Join(lines, "\n")
}

// maxReported bounds how many unexplained cases are printed: one fault can touch thousands.
const maxReported = 40

func TestDifferential(t *testing.T) {
	r := openRuntime(t)
	if *number >= 0 {
		compareOne(t, r, NewCase(*seed, uint64(*number)))
		return
	}
	values, outcomes, listed := tally{}, tally{}, tally{}
	unexplained := 0
	for i := range *cases {
		c := NewCase(*seed, i)
		if *only != "" && c.OpType != *only {
			continue
		}
		theirs, err := r.Run(c)
		require.NoError(t, err, rerun(c))
		ours := eval(c)
		what := disagreement(ours, theirs)
		why := explain(c, ours, theirs, what)
		switch {
		case theirs.Lacking && what != "":
			outcomes["ONNX Runtime has no kernel for the dtype"]++
		case what == "" && ours.Err != nil:
			outcomes["both give an error"]++
		case what == "":
			outcomes["both give the same tensor"]++
			values[c.config.String()]++
		case why != "":
			outcomes["differ for a listed reason"]++
			listed[why]++
		default:
			unexplained++
			if unexplained <= maxReported {
				t.Errorf("%s\n%s", rerun(c), what)
			}
		}
	}
	t.Logf("ONNX Runtime %s, seed %d, %d cases, %d sessions\n%v", r.Version(), *seed, *cases, r.created, outcomes)
	t.Logf("the same tensor, by version\n%v", values)
	t.Logf("listed differences\n%v", listed)
	require.Zero(t, unexplained, "unexplained differences")
	if *cases >= 20_000 && *only == "" {
		for _, v := range versions {
			require.Greater(t, values[v.String()], int(*cases)/200, "too few tensors compared of %v", v)
		}
	}
}

// compareOne compares one case and prints all of it.
func compareOne(t *testing.T, r *Runtime, c *Case) {
	theirs, err := r.Run(c)
	require.NoError(t, err)
	ours := eval(c)
	t.Logf("%v", c)
	for i, in := range c.Inputs {
		t.Logf("input %d: %v", i, in.print())
	}
	t.Logf("ours: %v", ours)
	t.Logf("ONNX Runtime: %v", theirs)
	what := disagreement(ours, theirs)
	if why := explain(c, ours, theirs, what); why != "" {
		t.Logf("%s\nlisted difference: %s", what, why)
		return
	}
	if theirs.Lacking {
		t.Log("ONNX Runtime has no kernel for the dtype")
		return
	}
	require.Empty(t, what)
}
