package onnx

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/badinput"
	"gorgonia.org/gather/internal/opset/opsettest"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// seed adds the files that match, and cut and spoilt versions of them.
func seed(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(b)
		f.Add(b[:len(b)*2/3])
	}
}

// budget is what reading a file may allocate, with what the fuzzer's own
// goroutines do meanwhile.
func budget(file []byte) uint64 { return uint64(opsettest.Factor*len(file) + 1<<20) }

func FuzzReadTensor(f *testing.F) {
	seed(f, "testdata/tensors/*.pb")
	f.Add([]byte(int64Message("", []int64{1 << 40, 1 << 20}, 1)))
	f.Add([]byte(tensorMessage("", 14, 2).fixed32(4, 1).bytes(4, make([]byte, 12))))
	f.Fuzz(func(t *testing.T, file []byte) {
		var d *tensor.Dense
		var err error
		used := opsettest.Allocated(func() { d, err = ReadTensor(bytes.NewReader(file)) })
		assert.LessOrEqual(t, used, budget(file))
		if err != nil {
			assert.Nil(t, d)
			return
		}
		assert.Equal(t, d.Shape().TotalSize(), d.Len(), "shape %v", d.Shape())
		again, err := ReadTensor(bytes.NewReader(file))
		require.NoError(t, err)
		assert.Equal(t, d.Shape(), again.Shape())
		assert.True(t, d.Dtype() == again.Dtype())
	})
}

// FuzzReadModel reads anything, builds what it can be built of within a megabyte,
// and runs it.
func FuzzReadModel(f *testing.F) {
	seed(f, "testdata/*.onnx")
	f.Add([]byte(modelMessage(13, lookup())))
	f.Add([]byte(chain(3)))
	f.Add([]byte(smallPacked()))
	f.Add([]byte(packedModel([]message{tensorMessage("w", uint4Data, 3, 5).bytes(tensorInt32Data, packed(1, 2, 3, 4, 5, 6, 7, 255))},
		[]int64{2}, []int64{3, 1}, intAttribute("gather_axis", 1), intAttribute("quantize_axis", 1), intAttribute("block_size", 16))))
	f.Fuzz(func(t *testing.T, file []byte) {
		var m *Model
		var err error
		used := opsettest.Allocated(func() { m, err = ReadModel(bytes.NewReader(file)) })
		assert.LessOrEqual(t, used, budget(file))
		if err != nil {
			assert.Less(t, len(err.Error()), 2000)
			return
		}
		var same bytes.Buffer
		require.NoError(t, m.Write(&same, nil))
		require.Equal(t, file, same.Bytes())
		_, _ = m.Nodes()
		m.Outputs()
		assert.GreaterOrEqual(t, m.Opset(), 0)
		for _, v := range m.Inputs() {
			for d, n := range v.Shape {
				if n < 0 {
					v.Shape[d] = 2
				}
			}
			if v.Shape != nil {
				require.NoError(t, m.SetInputShape(v.Name, v.Shape...))
			}
		}
		g := gorgonia.NewGraph()
		built, err := m.Build(g, WithMaxBytes(1<<20))
		if err != nil {
			assert.Less(t, len(err.Error()), 2000)
			return
		}
		for _, in := range built.Inputs {
			require.NoError(t, built.Let(in.Name, sample(in.Node.Dtype(), in.Node.Shape()...)))
		}
		machine := gorgonia.NewTapeMachine(g)
		defer machine.Close()
		if err := machine.RunAll(); err != nil {
			_, ok := AsNodeError(err)
			assert.True(t, ok, "%v names no node", err)
			return // an index out of range
		}
		for _, out := range built.Outputs {
			_, err := built.Value(out.Name)
			assert.NoError(t, err)
		}
	})
}

// FuzzBadArguments makes a node, and inputs that it should not be given, or not in
// this order, out of a number. Nothing may panic.
func FuzzBadArguments(f *testing.F) {
	for seed := range int64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		r := rand.New(rand.NewSource(seed))
		n, sound := randomNode(r)
		for range r.Intn(3) {
			name := []string{"axis", "batch_dims", "reduction", "mode", "axes", ""}[r.Intn(6)]
			n.Attributes[name] = []any{int64(r.Intn(9) - 4), math.MinInt, math.MaxInt, "add", "", nil, 1.5, []int64{1}, unread("GRAPH")}[r.Intn(9)]
		}
		in, nodes := badinput.Inputs(r, 4, sound)
		badinput.OneOf(t, func() (*tensor.Dense, error) { return Eval(n, in...) }, fmt.Sprint(n))
		badinput.OneOf(t, func() (*gorgonia.Node, error) { return Apply(n, nodes...) }, fmt.Sprint(n))
	})
}

// FuzzNode makes a node and inputs out of a number, mostly sound ones and some
// that are not, and demands that graph and tensors agree on what comes of them.
func FuzzNode(f *testing.F) {
	for seed := range int64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		r := rand.New(rand.NewSource(seed))
		n, inputs := randomNode(r)
		kept := make([]any, len(inputs))
		for i, in := range inputs {
			kept[i] = copied(in)
		}
		_, err := both(t, n, inputs...)
		if err != nil {
			assert.NotEmpty(t, err.Error())
		}
		for i, in := range inputs {
			assert.Equal(t, kept[i], copied(in), "input %d was changed", i)
		}
	})
}

// copied are the elements of a tensor, apart from it.
func copied(d *tensor.Dense) any {
	if d == nil || d.Shape().TotalSize() == 0 {
		return nil
	}
	if s, ok := d.Data().([]string); ok {
		return append([]string(nil), s...)
	}
	return append([]byte(nil), d.Uint8s()...)
}

// randomNode makes a call of one of the operators.
func randomNode(r *rand.Rand) (Node, []*tensor.Dense) {
	if r.Intn(9) == 0 {
		return randomBlocks(r)
	}
	one := func(words ...string) string { return words[r.Intn(len(words))] }
	op := one("Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND", "TensorScatter", features1)
	rows := versions[op]
	n := Node{OpType: op, Opset: rows[r.Intn(len(rows))].Since + r.Intn(3), Attributes: map[string]any{}}
	some := func(n int) bool { return r.Intn(n) == 0 }
	shape := func(rank int) []int {
		s := make([]int, rank)
		for d := range s {
			s[d] = 1 + r.Intn(4)
			if some(20) {
				s[d] = 0
			}
		}
		return s
	}
	dt := t16[r.Intn(len(t16))]
	if op == features1 && !some(8) {
		dt = features[r.Intn(len(features))]
	}
	data := shape(1 + r.Intn(4))
	axis := r.Intn(len(data))
	if c, err := specification.Call(op, n.Opset); err == nil {
		for _, a := range c.Version.Attributes {
			switch {
			case a.Words != nil && !some(3):
				n.Attributes[a.Name] = one(append(a.Words, "mean")...)
			case a.Name == "axis" && !some(30):
				n.Attributes["axis"] = int64(axis - len(data)*r.Intn(2))
			case a.Name == "batch_dims" && !some(3):
				n.Attributes["batch_dims"] = int64(r.Intn(3))
			}
		}
	}
	// The axis that counts is 0 where the attribute is left out.
	if _, ok := n.Attributes["axis"]; !ok {
		axis = 0
	}
	var at, news []int
	limit := func(int) int { return data[axis] } // of the index at a flat position
	switch op {
	case "Gather":
		at = shape(r.Intn(3))
	case features1:
		at, axis = shape(1+r.Intn(2)), max(len(data)-1, 0)
	case "GatherElements", "Scatter", "ScatterElements":
		at = append([]int{}, data...)
		for d := range at {
			at[d] = r.Intn(at[d] + 1)
		}
		at[axis] = r.Intn(5)
		news = at
	case "GatherND", "ScatterND":
		k := 1 + r.Intn(len(data))
		b, _ := n.Attributes["batch_dims"].(int64)
		if int(b) < len(data) && !some(10) {
			k = 1 + r.Intn(len(data)-int(b))
			at = append(at, data[:b]...)
		} else {
			b = 0
		}
		at = append(append(at, shape(r.Intn(3))...), k)
		news = append(append(news, at[:len(at)-1]...), data[k:]...)
		limit = func(i int) int { return data[(int(b)+i%k)%len(data)] }
	case "TensorScatter":
		at, news = []int{data[0]}, append([]int{}, data...)
		if axis == 0 {
			axis = max(len(data)-2, 0)
		}
		news[axis] = r.Intn(news[axis] + 1)
		limit = func(int) int { return data[axis] - news[axis] + 1 }
	}
	size := tensor.Shape(at).TotalSize()
	indices := make([]int64, size)
	for i := range indices {
		if s := limit(i); s > 0 {
			indices[i] = int64(r.Intn(s))
			if op != "TensorScatter" && op != features1 {
				indices[i] -= int64(s * r.Intn(2))
			}
		}
		if some(100) {
			indices[i] = []int64{math.MinInt64, math.MaxInt64, -5, 4, 1 << 32}[r.Intn(5)]
		}
	}
	inputs := []*tensor.Dense{sample(dt, data...), of(indices, at...)}
	if narrow := make([]int32, size); some(3) && op != "TensorScatter" && op != features1 {
		for i, x := range indices {
			narrow[i] = int32(x)
		}
		inputs[1] = of(narrow, at...)
	}
	if len(operators[op].parameters) == 3 {
		if dt == dense.BFloat16 && some(10) {
			dt = dense.Float16
		}
		inputs = append(inputs, sample(dt, news...))
	}
	if op == "TensorScatter" {
		inputs[1], inputs[2] = inputs[2], inputs[1]
		if some(4) {
			inputs = inputs[:2]
		}
	}
	return n, inputs
}

// randomBlocks makes a call of GatherBlockQuantized.
func randomBlocks(r *rand.Rand) (Node, []*tensor.Dense) {
	bits, size := []int{2, 4, 8}[r.Intn(3)], 16<<r.Intn(2)
	rows, stored := 1+r.Intn(4), 1+r.Intn(20)
	blocks := (stored*8/bits + size - 1) / size
	n := Node{OpType: blocks1, Opset: 1 + r.Intn(3), Attributes: map[string]any{"bits": bits, "block_size": int64(size)}}
	if r.Intn(10) == 0 {
		n.Attributes["block_size"] = int64(r.Intn(40))
	}
	ids := make([]int32, r.Intn(5))
	for i := range ids {
		ids[i] = int32(r.Intn(2*rows) - rows)
		if r.Intn(20) == 0 {
			ids[i] = []int32{math.MinInt32, math.MaxInt32, 4, -5}[r.Intn(4)]
		}
	}
	dt := scaleTypes[r.Intn(len(scaleTypes))]
	inputs := []*tensor.Dense{sample(tensor.Uint8, rows, stored), of(ids, len(ids)), sample(dt, rows, blocks)}
	if r.Intn(2) == 0 {
		inputs = append(inputs, sample(tensor.Uint8, rows, (blocks*bits+7)/8))
	}
	return n, inputs
}

// The numbers that FuzzNode starts from must reach results and errors of every
// operator: a fuzz target that only ever sees errors proves little.
func TestRandomNodesAreMostlySound(t *testing.T) {
	sound, faulty := map[string]int{}, map[string]int{}
	for seed := range int64(2000) {
		n, inputs := randomNode(rand.New(rand.NewSource(seed)))
		if _, err := both(t, n, inputs...); err == nil {
			sound[n.OpType]++
		} else {
			faulty[n.OpType]++
		}
	}
	for op := range operators {
		assert.Greater(t, sound[op], 40, "%s: %d sound, %d faulty", op, sound[op], faulty[op])
		assert.Greater(t, faulty[op], 10, "%s: %d sound, %d faulty", op, sound[op], faulty[op])
	}
}
