package zoo

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	G "gorgonia.org/gorgonia"
)

// lost are the parameters that a default export does not train as PyTorch does, with the first word of the reason. Any
// other specimen has none.
var lost = map[string][]string{
	"conv2":    {"body.0.weight changed", "body.1.weight missing", "body.1.bias missing", "body.4.weight changed", "body.4.bias changed", "body.5.weight missing", "body.5.bias missing"},
	"rnn":      {"cell.weight_hh_l0 copied", "cell.bias_hh_l0 copied"},
	"rnn_relu": {"cell.weight_hh_l0 copied", "cell.bias_hh_l0 copied"},

	"lossy/batch_norm": {"norm.weight joined", "norm.bias joined"},
	"lossy/norms":      {"before.weight joined", "before.bias joined", "after.weight joined", "after.bias joined"},
	"lossy/scale":      {"one missing", "two joined"},
	"lossy/tied":       {"out.weight copied"},
	"lossy/token":      {"token repeated", "gate folded"},
	"lossy/copies": {
		"layers.layers.0.self_attn.in_proj_bias joined", "layers.layers.0.self_attn.out_proj.bias missing",
		"layers.layers.0.norm1.weight joined", "layers.layers.0.norm1.bias joined", "layers.layers.0.norm2.weight joined", "layers.layers.0.norm2.bias joined",
		"layers.layers.1.self_attn.in_proj_weight joined", "layers.layers.1.self_attn.in_proj_bias joined",
		"layers.layers.1.self_attn.out_proj.weight joined", "layers.layers.1.self_attn.out_proj.bias missing",
		"layers.layers.1.linear1.weight joined", "layers.layers.1.linear1.bias joined", "layers.layers.1.linear2.weight joined", "layers.layers.1.linear2.bias joined",
		"layers.layers.1.norm1.weight joined", "layers.layers.1.norm1.bias joined", "layers.layers.1.norm2.weight joined", "layers.layers.1.norm2.bias joined",
	},
	"lossy/weight_norm": {
		"fc.parametrizations.weight.original0 folded", "fc.parametrizations.weight.original1 folded",
	},
}

// TestTrainable compares the losses of ten steps with PyTorch's, which are the same if nothing is said to be untrained,
// and only then.
func TestTrainable(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	lossy, err := filepath.Glob("testdata/lossy/*.json")
	require.NoError(t, err)
	require.Len(t, lossy, 9)
	for _, file := range append(files, lossy...) {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".json")
		t.Run(name, func(t *testing.T) {
			s := read(t, file, "default")
			differs := 0.0
			for optimizer, solver := range map[string]G.Solver{
				"sgd": G.NewVanillaSolver(G.WithLearnRate(s.Rates["sgd"])), "adam": G.NewAdamSolver(G.WithLearnRate(s.Rates["adam"])),
			} {
				losses, untrained := s.train(t, solver)
				require.Equal(t, lost[name], untrained)
				if len(untrained) == 0 {
					near(t, "loss of "+optimizer, s.Losses[optimizer], losses, 1e-4)
				}
				for i, loss := range s.Losses[optimizer] {
					differs = max(differs, math.Abs(losses[i]-loss))
				}
			}
			if lost[name] != nil {
				require.Greater(t, differs, 1e-4)
			}
		})
	}
}

// train returns the losses before, between and after ten steps, and what is not trained as in PyTorch.
func (s *specimen) train(t *testing.T, solver G.Solver) (losses []float64, untrained []string) {
	t.Helper()
	b := s.build(t)
	weights := b.graph.Trainable()
	_, err := G.Grad(b.cost, weights...)
	require.NoError(t, err)
	vm := G.NewTapeMachine(b.cost.Graph(), G.BindDualValues(weights...))
	defer vm.Close()
	for range 11 {
		require.NoError(t, vm.RunAll())
		losses = append(losses, float64(b.cost.Value().Data().(float32)))
		require.NoError(t, solver.Step(G.NodesToValueGrads(weights)))
		vm.Reset()
	}
	for _, u := range b.graph.Untrained() {
		reason, _, _ := strings.Cut(strings.Fields(u.Reason)[0], ":")
		untrained = append(untrained, u.Name+" "+reason)
	}
	return losses, untrained
}
