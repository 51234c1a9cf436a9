//go:build torch

package torch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// TestPrepack compares the bytes of rows of Int8 and Int4, and sums of bags of them, with
// PyTorch's, live: prepack.py says how.
func TestPrepack(t *testing.T) {
	interpreter := os.Getenv("TORCH_PYTHON")
	if interpreter == "" {
		t.Skip("TORCH_PYTHON is not the path of a Python with PyTorch and NumPy")
	}
	const rows, bags, perBag = 2000, 100, 10
	rng := rand.New(rand.NewPCG(1, 1))
	tables := map[string]*embedding.Table{}
	add := func(name string, backing any, shape ...int) *embedding.Table {
		table, err := embedding.New(tensor.New(tensor.WithShape(shape...), tensor.WithBacking(backing)))
		require.NoError(t, err)
		tables[name] = table
		return table
	}
	for i, columns := range []int{2, 6, 16, 64, 130} {
		name := string(rune('a' + i))
		weights := make([]float32, rows*columns)
		for r := range rows {
			fill(rng, weights[r*columns:][:columns])
		}
		table := add(name+"_float", weights, rows, columns)
		ids, numbers, scales := make([]int64, bags*perBag), make([]float64, bags*perBag), make([]float32, bags*perBag)
		for p := range ids {
			ids[p] = rng.Int64N(rows)
			numbers[p], scales[p] = float64(ids[p]), float32(rng.NormFloat64())
		}
		add(name+"_ids", numbers, bags, perBag)
		add(name+"_weights", scales, bags, perBag)
		for bits, storage := range map[int]embedding.Storage{8: embedding.Int8, 4: embedding.Int4} {
			stored, err := table.Quantize(storage)
			require.NoError(t, err)
			tables[fmt.Sprint(name, "_int", bits)] = stored
			sums, err := stored.Bags(tensor.New(tensor.WithShape(bags, perBag), tensor.WithBacking(ids)), nil,
				tensor.New(tensor.WithShape(bags, perBag), tensor.WithBacking(scales)), embedding.Sum)
			require.NoError(t, err)
			add(fmt.Sprint(name, "_sum", bits), sums.Float32s(), bags, columns)
		}
	}
	folder := t.TempDir()
	require.NoError(t, embedding.Save(folder, tables, nil))
	script := exec.Command(interpreter, "prepack.py", folder)
	out, err := script.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, fmt.Sprint(5*2*rows), strings.TrimSpace(string(out)))
}

// fill draws a row: of any magnitude, with equal numbers and zeros of both signs, and now
// and then of one number.
func fill(rng *rand.Rand, row []float32) {
	size := math.Exp(rng.Float64()*70 - 60)
	for c := range row {
		row[c] = float32(max(-65504, min(65504, rng.NormFloat64()*size)))
		switch rng.IntN(20) {
		case 0:
			row[c] = row[0]
		case 1:
			row[c] = float32(math.Copysign(0, float64(row[c])))
		}
	}
	if rng.IntN(20) == 0 {
		for c := range row {
			row[c] = row[0]
		}
	}
}
