package onnx

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

const blocks1 = "com.microsoft.GatherBlockQuantized"

func blockNode(attrs set) Node {
	return Node{Domain: "com.microsoft", OpType: "GatherBlockQuantized", Opset: 1, Attributes: attrs}
}

// TestGatherBlockQuantized compares random calls with the formula, number by number, in
// every dtype of scales.
func TestGatherBlockQuantized(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		bits := []int{2, 4, 8}[rng.IntN(3)]
		size := 16 << rng.IntN(3)
		rows, middle, stored := 1+rng.IntN(6), 1+rng.IntN(3), 1+rng.IntN(40)
		columns := stored * 8 / bits
		blocks := (columns + size - 1) / size
		zeroBytes := (blocks*bits + 7) / 8
		data, zeros := make([]uint8, rows*middle*stored), make([]uint8, rows*middle*zeroBytes)
		for _, list := range [][]uint8{data, zeros} {
			for i := range list {
				list[i] = uint8(rng.Uint32())
			}
		}
		scales := make([]float32, rows*middle*blocks)
		for i := range scales {
			scales[i] = float32(rng.NormFloat64())
		}
		ids := make([]int64, rng.IntN(8))
		for i := range ids {
			ids[i] = rng.Int64N(int64(2*rows)) - int64(rows)
		}
		dt := []tensor.Dtype{tensor.Float32, dense.Float16, dense.BFloat16}[rng.IntN(3)]
		// round is what the dtype makes of a number.
		round := func(x float32) float32 {
			switch dt {
			case dense.Float16:
				return float16.Fromfloat32(x).Float32()
			case dense.BFloat16:
				return math.Float32frombits(uint32(num.BFloat16From32(x)) << 16)
			}
			return x
		}
		as := func(list []float32, shape ...int) *tensor.Dense {
			halves, brains := make([]float16.Float16, len(list)), make([]dense.BF16, len(list))
			for i, x := range list {
				halves[i], brains[i] = float16.Fromfloat32(x), dense.BF16(num.BFloat16From32(x))
			}
			switch {
			case len(list) == 0:
				return tensor.NewDense(dt, shape)
			case dt == dense.Float16:
				return of(halves, shape...)
			case dt == dense.BFloat16:
				return of(brains, shape...)
			}
			return of(list, shape...)
		}
		given := rng.IntN(2) == 0
		bit := func(list []uint8, row, width, c int) int {
			return int(list[row*width+c*bits/8]>>(c*bits%8)) & (1<<bits - 1)
		}
		var want []float32
		for _, id := range ids {
			for m := range middle {
				row := int((id+int64(rows))%int64(rows))*middle + m
				for c := range columns {
					zero := 1 << (bits - 1)
					if given {
						zero = bit(zeros, row, zeroBytes, c/size)
					}
					want = append(want, round(float32(bit(data, row, stored, c)-zero)*round(scales[row*blocks+c/size])))
				}
			}
		}
		inputs := []*tensor.Dense{of(data, rows, middle, stored), of(ids, len(ids)), as(scales, rows, middle, blocks)}
		if given {
			inputs = append(inputs, of(zeros, rows, middle, zeroBytes))
		}
		got, err := both(t, blockNode(set{"bits": bits, "block_size": size, "quantize_axis": 2}), inputs...)
		require.NoError(t, err)
		require.Equal(t, tensor.Shape{len(ids), middle, columns}, got.Shape())
		require.Equal(t, values(as(want, len(ids), middle, columns)), values(got), "%d bits, blocks of %d", bits, size)
	}
}

func TestGatherBlockQuantizedErrors(t *testing.T) {
	data, ids := of(make([]uint8, 3*16), 3, 16), of(i64(1), 1)
	scales := of(make([]float32, 3), 3, 1)
	for name, c := range map[string]struct {
		attrs  set
		inputs []*tensor.Dense
		is     error
		text   string
	}{
		"bits 3":            {set{"bits": 3}, nil, dense.ErrOption, "bits 3, allowed are 2, 4 and 8"},
		"block_size 0":      {set{"block_size": 0}, nil, dense.ErrOption, "block_size 0, powers of 2"},
		"block_size -16":    {set{"block_size": -16}, nil, dense.ErrOption, "block_size -16"},
		"block_size 48":     {set{"block_size": 48}, nil, dense.ErrOption, "block_size 48"},
		"gather_axis 1":     {set{"gather_axis": 1}, nil, dense.ErrAxis, "gather_axis 1"},
		"gather_axis 2":     {set{"gather_axis": 2}, nil, dense.ErrOption, "gather_axis 2 is not in [-2, 1]"},
		"quantize_axis 0":   {set{"quantize_axis": 0}, nil, dense.ErrAxis, "quantize_axis 0"},
		"an attribute":      {set{"axis": 0}, nil, dense.ErrOption, "attribute \"axis\""},
		"floats":            {nil, []*tensor.Dense{scales, ids, scales}, dense.ErrDtype, "data of type float"},
		"scales of doubles": {nil, []*tensor.Dense{data, ids, of(make([]float64, 3), 3, 1)}, dense.ErrDtype, "scales of type double"},
		"indices of int16":  {nil, []*tensor.Dense{data, of([]int16{1}, 1), scales}, dense.ErrDtype, "indices of type int16"},
		"a vector":          {nil, []*tensor.Dense{of([]uint8{1}, 1), ids, scales}, dense.ErrShape, "rank 1"},
		"two scales a row":  {nil, []*tensor.Dense{data, ids, of(make([]float32, 6), 3, 2)}, dense.ErrShape, "scales (3, 2)"},
		"zero points":       {nil, []*tensor.Dense{data, ids, scales, of([]uint8{1, 2}, 2, 1)}, dense.ErrShape, "zero_points (2, 1)"},
		"no scales":         {nil, []*tensor.Dense{data, ids}, dense.ErrShape, "no scales"},
		"index 3":           {nil, []*tensor.Dense{data, of(i64(1, 3), 2), scales}, nil, "GatherBlockQuantized: indices[1]: 3 out of range [-3, 3)"},
		"index -4":          {nil, []*tensor.Dense{data, of(i64(-4), 1, 1), scales}, nil, "indices[0 0]: -4 out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			inputs := c.inputs
			if inputs == nil {
				inputs = []*tensor.Dense{data, ids, scales}
			}
			_, err := both(t, blockNode(c.attrs), inputs...)
			require.ErrorContains(t, err, c.text)
			if c.is != nil {
				assert.True(t, errors.Is(err, c.is), "%v", err)
			}
		})
	}
	var index *dense.IndexError
	_, err := Eval(blockNode(nil), data, of([]int32{7}, 1), scales)
	require.True(t, errors.As(err, &index))
	assert.Equal(t, &dense.IndexError{Op: "GatherBlockQuantized", Position: []int{0}, Index: 7, Size: 3}, index)
}

// TestGatherBlockQuantizedHasNoGradient: asking for one is an error that says why.
func TestGatherBlockQuantizedHasNoGradient(t *testing.T) {
	g := gorgonia.NewGraph()
	input := func(name string, d *tensor.Dense) *gorgonia.Node {
		return gorgonia.NodeFromAny(g, d, gorgonia.WithName(name))
	}
	scales := input("scales", of(make([]float32, 3), 3, 1))
	out, err := Apply(blockNode(nil), input("data", of(make([]uint8, 48), 3, 16)), input("ids", of(i64(1), 1)), scales)
	require.NoError(t, err)
	_, err = out.Op().(gorgonia.SDOp).SymDiff(nil, out, out)
	require.ErrorContains(t, err, "data, integers of few bits, have no gradient")
	assert.Equal(t, []bool{false, false, false}, out.Op().(gorgonia.SDOp).DiffWRT(3))
	_, err = gorgonia.Grad(gorgonia.Must(gorgonia.Sum(out)), scales)
	require.Error(t, err)
}

// TestGatherBlockQuantizedInAModel builds one of a model that imports its domain.
func TestGatherBlockQuantizedInAModel(t *testing.T) {
	node := nodeMessage("GatherBlockQuantized", []string{"x", "i", "s"}, []string{"y"}).text(7, "com.microsoft")
	graph := message{}.bytes(1, node).bytes(graphInput, valueMessage("x", 2, 3, 16)).bytes(graphInput, valueMessage("i", 7, 1)).
		bytes(graphInput, valueMessage("s", 1, 3, 1)).bytes(graphOutput, valueMessage("y", 1, 1, 32))
	imports := message{}.text(1, "com.microsoft").varint(2, 1)
	g := gorgonia.NewGraph()
	built, err := modelOf(t, modelMessage(21, graph).bytes(8, imports)).Build(g)
	require.NoError(t, err)
	data := make([]uint8, 48)
	data[16] = 0xf1
	require.NoError(t, built.Let("x", of(data, 3, 16)))
	require.NoError(t, built.Let("i", of(i64(-2), 1)))
	require.NoError(t, built.Let("s", of([]float32{1, 0.5, 1}, 3, 1)))
	vm := gorgonia.NewTapeMachine(g)
	defer vm.Close()
	require.NoError(t, vm.RunAll())
	assert.Equal(t, []float32{-3.5, 3.5, -4}, built.Outputs[0].Node.Value().(*tensor.Dense).Float32s()[:3])
}
