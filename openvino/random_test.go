package openvino

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"gorgonia.org/gather/internal/badinput"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// FuzzLayers makes a layer and tensors of the seed, right ones and wrong ones.
// Eval and Apply must agree, and where they have an answer OutputShape must
// give its shape. Nothing may panic.
func FuzzLayers(f *testing.F) {
	for seed := range int64(100) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		l, inputs := randomCase(rand.New(rand.NewSource(seed)))
		got, err := both(t, l, inputs...)
		for _, in := range inputs {
			l.Inputs = append(l.Inputs, append([]int{}, in.Shape()...))
		}
		if err == nil && (l.Type == "SegmentMax" || l.Type == "EmbeddingSegmentsSum") {
			n := got.Shape()[0]
			l.NumSegments = &n
		}
		out, shapeErr := l.OutputShape()
		if err == nil && assert.NoError(t, shapeErr, "%+v", l) {
			assert.True(t, fits(got.Shape(), out), "%v and %v", got.Shape(), out)
		}
	})
}

// FuzzBadArguments makes a layer, and inputs that it should not be given, or not
// in this order, of the seed. Nothing may panic.
func FuzzBadArguments(f *testing.F) {
	for seed := range int64(40) {
		f.Add(seed)
	}
	layers := badLayers()
	f.Fuzz(func(t *testing.T, seed int64) {
		r := rand.New(rand.NewSource(seed))
		l, sound := randomCase(r)
		if r.Intn(4) == 0 {
			l = badinput.Any(r, layers)
		}
		in, nodes := badinput.Inputs(r, 5, sound)
		badinput.OneOf(t, func() (*tensor.Dense, error) { return Eval(l, in...) }, l.Type)
		badinput.OneOf(t, func() (*gorgonia.Node, error) { return Apply(l, nodes...) }, l.Type)
		if out, err := l.OutputShape(); (out == nil) == (err == nil) && len(out) > 0 {
			t.Errorf("%+v: %v, %v", l, out, err)
		}
	})
}

// TestRandomCasesAreMixed makes sure that the seeds of FuzzLayers reach both
// answers and errors, of all operators.
func TestRandomCasesAreMixed(t *testing.T) {
	answers, errs := map[string]int{}, map[string]int{}
	for seed := range int64(3000) {
		l, inputs := randomCase(rand.New(rand.NewSource(seed)))
		tensors := make([]tensor.Tensor, len(inputs))
		for i, in := range inputs {
			tensors[i] = in
		}
		if _, err := Eval(l, tensors...); err == nil {
			answers[l.Type]++
		} else {
			errs[l.Type]++
		}
	}
	for op := range operators {
		assert.Greater(t, answers[op], 20, op)
		assert.Greater(t, errs[op], 20, op)
	}
}

// randomCase makes a layer with inputs that fit it more often than not.
func randomCase(r *rand.Rand) (Layer, []*tensor.Dense) {
	odd := func(n int) bool { return r.Intn(n) == 0 }
	names := operatorNames()
	l := Layer{Type: names[r.Intn(len(names))], Attributes: map[string]string{}}
	rows := versions[l.Type]
	row := rows[r.Intn(len(rows))]
	l.Version = fmt.Sprintf("opset%d", row.Since)
	if odd(10) {
		l.Version = fmt.Sprintf("opset%d", r.Intn(newestOpset+2))
	}
	if odd(2) {
		l.Release = []string{"2025.3", "2026.4.1", "2024.0"}[r.Intn(3)]
	}
	data := make(tensor.Shape, r.Intn(4))
	if len(data) == 0 && !odd(6) {
		data = make(tensor.Shape, 1)
	}
	for i := range data {
		data[i] = 1 + r.Intn(4)
		if odd(30) {
			data[i] = 0
		}
	}
	axis := r.Intn(max(len(data), 1))
	for _, a := range row.Attributes {
		switch {
		case odd(12):
			l.Attributes[a.Name] = "5"
		case a.Name == "axis":
			l.Attributes[a.Name] = fmt.Sprint(axis - len(data)*r.Intn(2))
		case a.Words != nil:
			l.Attributes[a.Name] = a.Words[r.Intn(len(a.Words))]
		}
	}
	dt := row.Data[r.Intn(len(row.Data))]
	shapes := shapesFor(r, l.Type, data, axis)
	inputs := make([]*tensor.Dense, len(shapes))
	index := row.Index[r.Intn(len(row.Index))]
	for i, s := range shapes {
		of := dt
		if operators[l.Type].parameters[i].Role == opset.Indices {
			of = index
			if odd(8) {
				of = row.Index[r.Intn(len(row.Index))]
			}
		}
		if odd(40) {
			of = anyType[r.Intn(len(anyType))]
		}
		inputs[i] = randomTensor(r, of, s)
		name := operators[l.Type].parameters[i].Name
		ascend(inputs[i], name)
		if name == numSegments && len(s) == 0 && !odd(3) { // more than any id
			switch of {
			case tensor.Int32:
				inputs[i].Int32s()[0] = 5
			case tensor.Int64:
				inputs[i].Int64s()[0] = 5
			}
		}
	}
	if operators[l.Type].axisInput {
		if odd(2) {
			inputs = append(inputs, of([]int32{int32(axis)}))
		}
		l.Axis = &axis
	}
	return l, inputs
}

// ascend sorts the elements of what must be sorted, as most callers will.
func ascend(t *tensor.Dense, name string) {
	if name != "offsets" && name != "segment_ids" || t.Size() == 0 {
		return
	}
	switch t.Dtype() {
	case tensor.Int32:
		slices.Sort(t.Int32s())
	case tensor.Int64:
		slices.Sort(t.Int64s())
	case tensor.Int:
		slices.Sort(t.Ints())
	}
}

// shapesFor are shapes of the operator's inputs for the shape of data. One in
// six is changed, and then rarely fits.
func shapesFor(r *rand.Rand, op string, data tensor.Shape, axis int) []tensor.Shape {
	random := func(rank int) tensor.Shape {
		s := make(tensor.Shape, rank)
		for i := range s {
			s[i] = 1 + r.Intn(3)
		}
		return s
	}
	tail := func(n int) tensor.Shape { return data[min(n, len(data)):] }
	join := func(parts ...tensor.Shape) tensor.Shape {
		s := tensor.Shape{}
		for _, p := range parts {
			s = append(s, p...)
		}
		return s
	}
	var shapes []tensor.Shape
	switch i := random(r.Intn(3)); op {
	case "Gather":
		shapes = []tensor.Shape{data, i}
	case "GatherElements":
		i = data.Clone()
		if len(i) > 0 {
			i[axis] = r.Intn(5)
		}
		shapes = []tensor.Shape{data, i}
	case "GatherND":
		shapes = []tensor.Shape{data, join(i, tensor.Shape{1 + r.Intn(max(len(data), 1))})}
	case "GatherTree":
		s := random(3)
		shapes = []tensor.Shape{s, s, s[1:2], {}}
	case "EmbeddingBagOffsetsSum", "EmbeddingBagOffsets":
		i = random(1)
		shapes = []tensor.Shape{data, i, random(1), {}, i}[:3+r.Intn(3)]
	case "EmbeddingBagPackedSum", "EmbeddingBagPacked":
		i = random(2)
		shapes = []tensor.Shape{data, i, i}[:2+r.Intn(2)]
	case "EmbeddingSegmentsSum":
		i = random(1)
		shapes = []tensor.Shape{data, i, i, {}, {}, i}[:4+r.Intn(3)]
	case "SegmentMax":
		shapes = []tensor.Shape{data, data[:min(1, len(data))], {}}[:2+r.Intn(2)]
	case "ScatterUpdate":
		shapes = []tensor.Shape{data, i, join(data[:min(axis, len(data))], i, tail(axis+1))}
	case "ScatterElementsUpdate":
		i = data.Clone()
		shapes = []tensor.Shape{data, i, i}
	case "ScatterNDUpdate":
		k := 1 + r.Intn(max(len(data), 1))
		shapes = []tensor.Shape{data, join(i, tensor.Shape{k}), join(i, tail(k))}
	}
	if r.Intn(6) == 0 {
		shapes[r.Intn(len(shapes))] = random(r.Intn(4))
	}
	return shapes
}

// randomTensor has small values, of which an index is sometimes out of range.
func randomTensor(r *rand.Rand, dt tensor.Dtype, shape tensor.Shape) *tensor.Dense {
	n := shape.TotalSize()
	list := reflect.MakeSlice(reflect.SliceOf(dt.Type), n, n)
	for i := range n {
		x := r.Intn(2)
		if r.Intn(20) == 0 {
			x = r.Intn(9) - 4
		}
		switch e := list.Index(i); {
		case e.CanInt():
			e.SetInt(int64(x))
		case e.CanUint():
			e.SetUint(uint64(max(x, 0)))
		case e.CanFloat():
			e.SetFloat(float64(x))
		case e.Kind() == reflect.Bool:
			e.SetBool(x > 0)
		default:
			e.SetString(fmt.Sprint(x))
		}
	}
	return of(list.Interface(), shape...)
}
