package openvino

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"gorgonia.org/gather/internal/badinput"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// badLayers are layers that are none, and one of each version.
func badLayers() map[string]Layer {
	least, most := math.MinInt, math.MaxInt
	layers := map[string]Layer{
		"the zero Layer":       {},
		"an unknown operator":  {Type: "Convolution", Version: "opset1"},
		"no version":           {Type: "Gather"},
		"no operator set":      {Type: "Gather", Version: "extension"},
		"an opset to come":     {Type: "Gather", Version: "opset99999999999999999999"},
		"a bad release":        {Type: "GatherND", Version: "opset8", Release: "."},
		"the least axis":       {Type: "Gather", Version: "opset8", Axis: &least},
		"the greatest axis":    {Type: "ScatterUpdate", Version: "opset3", Axis: &most},
		"an empty attribute":   {Type: "GatherElements", Version: "opset6", Attributes: map[string]string{"": "", "axis": ""}},
		"a huge attribute":     {Type: "GatherElements", Version: "opset6", Attributes: map[string]string{"axis": fmt.Sprint(math.MinInt)}},
		"the most batch dims":  {Type: "GatherND", Version: "opset8", Attributes: map[string]string{"batch_dims": fmt.Sprint(math.MaxInt)}},
		"the least batch dims": {Type: "Gather", Version: "opset8", Axis: &least, Attributes: map[string]string{"batch_dims": fmt.Sprint(math.MinInt)}},
		"nil ports":            {Type: "GatherND", Version: "opset8", Inputs: make([][]int, 2), Outputs: make([][]int, 1)},
		"many ports":           {Type: "GatherND", Version: "opset8", Inputs: make([][]int, 100), Outputs: make([][]int, 100)},
		"bad dims":             {Type: "GatherND", Version: "opset8", Inputs: [][]int{{least}, {most, most, most}}, Outputs: [][]int{{least, -1}}},
		"dims that wrap":       {Type: "ScatterNDUpdate", Version: "opset15", Inputs: [][]int{{most, most}, {2}, {most, most, most}}},
	}
	zero := 0
	for op, rows := range versions {
		for _, v := range rows {
			l := Layer{Type: op, Version: fmt.Sprintf("opset%d", v.Since), Attributes: map[string]string{}}
			for _, a := range v.Attributes {
				if a.Default == nil {
					l.Attributes[a.Name] = "0"
				}
			}
			layers[fmt.Sprint(op, v.Since)] = l
			if operators[op].axisInput {
				l.Axis = &zero
				layers[fmt.Sprint(op, v.Since, " at axis 0")] = l
			}
		}
	}
	return layers
}

// withAxis are inputs without and, where the layer wants that, with an axis.
func withAxis[T any](l Layer, inputs []T, axis T) [][]T {
	if operators[l.Type].axisInput && l.Axis == nil {
		return [][]T{inputs, append(inputs, axis)}
	}
	return [][]T{inputs}
}

// Every exported function takes arguments that it should not be given.
func TestBadArguments(t *testing.T) {
	// All lists of inputs, but of at most three, and of two where an operator has
	// more: those would be too many.
	lengths := func(l Layer) []int {
		if len(operators[l.Type].parameters) > 3 {
			return []int{0, 1, 2}
		}
		return []int{0, 1, 2, 3}[:len(operators[l.Type].parameters)+1]
	}
	tooMany := func(t *testing.T, what string, l Layer) {
		_, err := Apply(l, make([]*gorgonia.Node, 6)...)
		assert.Error(t, err, what)
		_, err = Eval(l, make([]tensor.Tensor, 6)...)
		assert.Error(t, err, what)
	}
	badinput.Calls(t, ".", map[string]func(t *testing.T){
		"Apply": func(t *testing.T) {
			for what, l := range badLayers() {
				badinput.Try(t, what, func() { tooMany(t, what, l) })
				for _, length := range lengths(l) {
					g := gorgonia.NewGraph()
					axis := gorgonia.NewScalar(g, tensor.Int64, gorgonia.WithName("axis"), gorgonia.WithValue(int64(0)))
					badinput.Tuples(badinput.Nodes(g), length, func(names []string, inputs []*gorgonia.Node) {
						for _, more := range withAxis(l, inputs, axis) {
							badinput.OneOf(t, func() (*gorgonia.Node, error) { return Apply(l, more...) }, append(names, what)...)
						}
					})
				}
			}
		},
		"Eval": func(t *testing.T) {
			var axis tensor.Tensor = of(i64(0), 1)
			for what, l := range badLayers() {
				for _, length := range lengths(l) {
					badinput.Tuples(badinput.Tensors(), length, func(names []string, inputs []tensor.Tensor) {
						for _, more := range withAxis(l, inputs, axis) {
							badinput.OneOf(t, func() (*tensor.Dense, error) { return Eval(l, more...) }, append(names, what)...)
						}
					})
				}
			}
		},
		"Layer.OutputShape": func(t *testing.T) {
			ports := map[string][]int{"nil": nil, "scalar": {}, "open": {-1, 2}, "bad": {math.MinInt}, "huge": {math.MaxInt, math.MaxInt}, "plain": {3, 3}, "one": {1}, "empty": {0, 3}}
			badinput.Try(t, "nil", func() {
				_, err := (*Layer)(nil).OutputShape()
				assert.EqualError(t, err, "openvino: OutputShape of a nil Layer")
			})
			for what, l := range badLayers() {
				badinput.Try(t, what, func() { _, _ = l.OutputShape() })
				for length := range 4 {
					badinput.Tuples(ports, length, func(names []string, list [][]int) {
						l.Inputs = list
						badinput.Try(t, what, func() { _, _ = l.OutputShape() })
					})
				}
			}
		},
		"ReadLayers": func(t *testing.T) {
			for what, r := range badinput.Readers() {
				badinput.Try(t, what, func() {
					layers, err := ReadLayers(r)
					assert.Error(t, err, what)
					assert.Nil(t, layers, what)
				})
			}
		},
		"WithMaxBytes": func(t *testing.T) {
			for _, n := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
				badinput.Try(t, fmt.Sprint(n), func() { _, _ = ReadLayers(strings.NewReader("<layer type='A'/>"), WithMaxBytes(n), ReadOption{}) })
			}
		},
	})
}
