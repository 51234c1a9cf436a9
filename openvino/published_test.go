package openvino

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// layer makes a layer of a version such as "GatherND-5", with attributes given
// as name, value, name, value.
func layer(version string, attributes ...string) Layer {
	name, number, _ := strings.Cut(version, "-")
	l := Layer{Type: name, Version: "opset" + number, Attributes: map[string]string{}}
	for i := 0; i < len(attributes); i += 2 {
		l.Attributes[attributes[i]] = attributes[i+1]
	}
	return l
}

// versionName is the name of an operator's version, as "GatherND-5".
func versionName(op string, version int) string { return op + "-" + strconv.Itoa(version) }

// on is the layer with a known axis.
func (l Layer) on(axis int) Layer {
	l.Axis = &axis
	return l
}

// published are the axes of the layers in testdata/published.xml which have one
// as an input. Every other layer there has none.
var published = map[string]int{
	"Gather-1": 1, "Gather-7": 1, "Gather-8": 1,
	"ScatterUpdate-3": 1, "ScatterUpdate-3 with values": 1,
	"ScatterElementsUpdate-3": 0, "ScatterElementsUpdate-12": 0,
}

func TestPublishedLayers(t *testing.T) {
	f, err := os.Open("testdata/published.xml")
	require.NoError(t, err)
	defer f.Close()
	layers, err := ReadLayers(f)
	require.NoError(t, err)
	require.Len(t, layers, 16)
	for _, l := range layers {
		t.Run(l.Name, func(t *testing.T) {
			version, _, _ := strings.Cut(l.Name, " ")
			assert.True(t, strings.HasPrefix(version, l.Type+"-"))
			axis, needed := published[l.Name]
			if needed {
				_, err := l.OutputShape()
				assert.ErrorIs(t, err, dense.ErrAxis, "the axis is not known yet")
				l.Axis = &axis
			}
			require.Len(t, l.Outputs, 1)
			printed := l.Outputs[0]
			l.Outputs = nil
			out, err := l.OutputShape()
			require.NoError(t, err)
			assert.Equal(t, tensor.Shape(printed), out)
		})
	}
}

// TestPublishedExamples computes the examples of the operators' pages.
func TestPublishedExamples(t *testing.T) {
	numbers := func(from, to int) []float32 {
		list := make([]float32, 0, to-from+1)
		for i := from; i <= to; i++ {
			list = append(list, float32(i))
		}
		return list
	}
	twoByTwo := of(f32(1, 2, 3, 4), 2, 2)
	twoByFive := of(numbers(1, 10), 2, 5)
	batches := of(numbers(1, 24), 2, 3, 4)
	sixBatches := of(i64(1, 0, 2, 0, 2, 2), 2, 3, 1, 1)
	cube := of(f32(
		1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1,
		1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1,
		8, 7, 6, 5, 4, 3, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8,
		8, 7, 6, 5, 4, 3, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8), 4, 4, 4)
	slices := of(f32(
		5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8,
		1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4), 2, 4, 4)
	withSlices := of(f32(
		5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8,
		1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1,
		1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4,
		8, 7, 6, 5, 4, 3, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8), 4, 4, 4)
	same := func(value float32) *tensor.Dense {
		list := make([]float32, 12)
		for i := range list {
			list[i] = value
		}
		return of(list, 3, 4)
	}
	corner, ones := of(i64(1, 2, 0, 3), 2, 2), of(i64(1, 1, 0, 3), 2, 2)
	four := of(f32(11, 12, 13, 14), 2, 2)
	places := of(i64(0, 2, -3, -3, 0), 5, 1)
	tens := of(f32(10, 20, 30, 40, 50), 5)

	type example struct {
		name   string
		layer  Layer
		inputs []*tensor.Dense
		want   *tensor.Dense
	}
	in := func(inputs ...*tensor.Dense) []*tensor.Dense { return inputs }
	examples := []example{
		{"6 negative indices", layer("Gather-8").on(0), in(of(numbers(1, 5), 5), of(i64(0, -2, -1), 3)), of(f32(1, 4, 5), 3)},
		{"7 indices out of range", layer("Gather-8").on(0), in(of(numbers(1, 5), 5), of(i64(3, 10, -20), 3)), of(f32(4, 0, 0), 3)},

		{"1 indices along rows", layer("GatherElements-6", "axis", "0"), in(twoByTwo, of(i64(0, 1, 0, 0), 2, 2)), of(f32(1, 4, 1, 2), 2, 2)},
		{"2 more indices than data", layer("GatherElements-6", "axis", "1"), in(of(f32(1, 7, 4, 3), 2, 2), of(i64(1, 1, 0, 1, 0, 1), 2, 3)), of(f32(7, 7, 1, 3, 4, 3), 2, 3)},
		{"3 fewer indices than data", layer("GatherElements-6", "axis", "0"), in(of(numbers(1, 9), 3, 3), of(i64(1, 0, 1, 1, 2, 0), 2, 3)), of(f32(4, 2, 6, 4, 8, 3), 2, 3)},

		{"6 slices of two batch dims, fused", layer("GatherND-5", "batch_dims", "2"), in(batches, sixBatches), of(f32(2, 5, 11, 13, 19, 23), 6, 1)},
		{"6 slices of two batch dims", layer("GatherND-8", "batch_dims", "2"), in(batches, sixBatches), of(f32(2, 5, 11, 13, 19, 23), 2, 3, 1)},
		{"7 three batch dims", layer("GatherND-8", "batch_dims", "3"), in(of(numbers(1, 16), 1, 2, 2, 4), of(i64(1, 0, 3, 2), 1, 2, 2, 1)), of(f32(2, 5, 12, 15), 1, 2, 2)},

		{"2 columns", layer("ScatterUpdate-3").on(1), in(of(f32(-1, 1, -1, 3, 4, -1, 6, -1, 8, 9, -1, 11, 1, 13, 14), 3, 5), of(i64(0, 2), 2), of(f32(1, 1, 1, 1, 1, 2), 3, 2)),
			of(f32(1, 1, 1, 3, 4, 1, 6, 1, 8, 9, 1, 11, 2, 13, 14), 3, 5)},

		{"1 sum", layer("ScatterElementsUpdate-12", "use_init_val", "true", "reduction", "sum").on(0), in(of(f32(2, 3, 4, 6), 4), of(i64(1, 0, 0, -2, -1, 2), 6), of(f32(10, 20, 30, 40, 70, 60), 6)), of(f32(52, 13, 104, 76), 4)},
		{"2 sum without data", layer("ScatterElementsUpdate-12", "use_init_val", "false", "reduction", "sum").on(0), in(of(f32(2, 3, 4, 6), 4), of(i64(1, 0, 0, 2, 3, 2), 6), of(f32(10, 20, 30, 40, 70, 60), 6)), of(f32(50, 10, 100, 70), 4)},
		{"3 none", layer("ScatterElementsUpdate-12", "use_init_val", "true", "reduction", "none").on(1), in(same(0), corner, four), of(f32(0, 11, 12, 0, 13, 0, 0, 14, 0, 0, 0, 0), 3, 4)},
		{"4 sum of rows", layer("ScatterElementsUpdate-12", "use_init_val", "true", "reduction", "sum").on(1), in(same(1), ones, four), of(f32(1, 24, 1, 1, 14, 1, 1, 15, 1, 1, 1, 1), 3, 4)},
		{"5 prod of rows", layer("ScatterElementsUpdate-12", "use_init_val", "true", "reduction", "prod").on(1), in(same(2), ones, four), of(f32(2, 264, 2, 2, 26, 2, 2, 28, 2, 2, 2, 2), 3, 4)},

		{"1 elements", layer("ScatterNDUpdate-3"), in(of(numbers(1, 8), 8), of(i64(4, 3, 1, 7), 4, 1), of(numbers(9, 12), 4)), of(f32(1, 11, 3, 10, 9, 6, 7, 12), 8)},
		{"2 slices", layer("ScatterNDUpdate-3"), in(cube, of(i64(0, 2), 2, 1), slices), withSlices},
		{"2 slices", layer("ScatterNDUpdate-15"), in(cube, of(i64(0, 2), 2, 1), slices), withSlices},

		// The page prints 4 as the fifth element, which two updates meet: 9 and
		// then, by index -4, 14.
		{"1 elements", layer("ScatterNDUpdate-15", "reduction", "none"), in(of(numbers(1, 8), 8), of(i64(4, 3, 1, 7, -2, -4), 6, 1), of(numbers(9, 14), 6)), of(f32(1, 11, 3, 10, 14, 6, 13, 12), 8)},
		// The layers of the page have indices of shape (5), where (5, 1) is
		// needed; TestPublishedSlips refuses them. For none it prints 20 as the
		// second element instead of 40, and for prod 3600 and 40 instead of
		// 2*30*40 and 3*20.
		{"layer 1 none", layer("ScatterNDUpdate-15", "reduction", "none"), in(of(numbers(1, 4), 4), places, tens), of(f32(50, 40, 20, 4), 4)},
		{"layer 2 sum", layer("ScatterNDUpdate-15", "reduction", "sum"), in(of(numbers(1, 4), 4), places, tens), of(f32(61, 72, 23, 4), 4)},
		{"layer 3 sub", layer("ScatterNDUpdate-15", "reduction", "sub"), in(of(numbers(1, 4), 4), places, tens), of(f32(-59, -68, -17, 4), 4)},
		{"layer 4 prod", layer("ScatterNDUpdate-15", "reduction", "prod"), in(of(numbers(1, 4), 4), places, tens), of(f32(500, 2400, 60, 4), 4)},
	}
	for _, version := range []string{"Gather-7", "Gather-8"} { // whose pages share these
		examples = append(examples, []example{
			{"1 no batch dims", layer(version).on(0), in(of(numbers(1, 5), 5), of(i64(0, 0, 4), 3)), of(f32(1, 1, 5), 3)},
			{"2 one batch dim", layer(version, "batch_dims", "1").on(1), in(twoByFive, of(i64(0, 0, 4, 4, 0, 0), 2, 3)), of(f32(1, 1, 5, 10, 6, 6), 2, 3)},
			{"3 two batch dims", layer(version, "batch_dims", "2").on(2), in(of(numbers(1, 20), 2, 2, 5), of(i64(0, 0, 4, 4, 0, 0, 1, 2, 4, 4, 3, 2), 2, 2, 3)), of(f32(1, 1, 5, 10, 6, 6, 12, 13, 15, 20, 19, 18), 2, 2, 3)},
			{"4 axis behind the batch dims", layer(version, "batch_dims", "1").on(2), in(of(numbers(1, 40), 2, 1, 5, 4), of(i64(1, 2, 4, 4, 3, 2), 2, 3)),
				of(f32(5, 6, 7, 8, 9, 10, 11, 12, 17, 18, 19, 20, 37, 38, 39, 40, 33, 34, 35, 36, 29, 30, 31, 32), 2, 1, 3, 4)},
			{"5 negative batch dims", layer(version, "batch_dims", "-1").on(1), in(twoByFive, of(i64(0, 0, 4, 4, 0, 0), 2, 3)), of(f32(1, 1, 5, 10, 6, 6), 2, 3)},
		}...)
	}
	for _, version := range []string{"GatherND-5", "GatherND-8"} {
		examples = append(examples, []example{
			{"1 elements", layer(version), in(twoByTwo, of(i64(0, 0, 1, 0), 2, 2)), of(f32(1, 3), 2)},
			{"2 slices", layer(version), in(twoByTwo, of(i64(1, 0), 2, 1)), of(f32(3, 4, 1, 2), 2, 2)},
			{"3 leading dims", layer(version), in(twoByTwo, of(i64(1, 0), 2, 1, 1)), of(f32(3, 4, 1, 2), 2, 1, 2)},
			{"4 elements of batches", layer(version, "batch_dims", "1"), in(twoByTwo, of(i64(1, 0), 2, 1)), of(f32(2, 3), 2)},
			{"5 slices of batches", layer(version, "batch_dims", "1"), in(batches, of(i64(1, 0), 2, 1)), of(f32(5, 6, 7, 8, 13, 14, 15, 16), 2, 4)},
		}...)
	}
	for _, e := range examples {
		t.Run(e.layer.Type+e.layer.Version+" "+e.name, func(t *testing.T) {
			got, err := both(t, e.layer, e.inputs...)
			require.NoError(t, err)
			assert.Equal(t, e.want.Shape(), got.Shape())
			assert.Equal(t, e.want.Data(), got.Data())
		})
	}
}

// TestPublishedSlips keeps what the pages print and their own rules refuse.
func TestPublishedSlips(t *testing.T) {
	for _, reduction := range []string{"none", "sum", "sub", "prod"} {
		t.Run("ScatterNDUpdate-15 indices of shape (5) "+reduction, func(t *testing.T) {
			_, err := both(t, layer("ScatterNDUpdate-15", "reduction", reduction),
				of(f32(1, 2, 3, 4), 4), of(i64(0, 2, -3, -3, 0), 5), of(f32(10, 20, 30, 40, 50), 5))
			assert.ErrorIs(t, err, dense.ErrShape)
		})
	}
	t.Run("ScatterNDUpdate-15 spelled ScatterNdUpdate", func(t *testing.T) {
		l := layer("ScatterNDUpdate-15")
		l.Type = "ScatterNdUpdate"
		_, err := Eval(l)
		assert.ErrorIs(t, err, dense.ErrOption)
		assert.ErrorContains(t, err, "ScatterNDUpdate")
	})
	// The text has k <= rank of data; with batch dims it must be less.
	for b, allowed := range []bool{true, false} {
		t.Run("GatherND-8 tuple as long as the rank of data, batch_dims "+strconv.Itoa(b), func(t *testing.T) {
			_, err := both(t, layer("GatherND-8", "batch_dims", strconv.Itoa(b)), iota32(2, 3), of(i64(1, 2, 0, 0), 2, 2))
			assert.Equal(t, allowed, err == nil, err)
		})
	}
	t.Run("GatherND-8 batch dims are not broadcast", func(t *testing.T) {
		_, err := both(t, layer("GatherND-8", "batch_dims", "1"), iota32(2, 3), of(i64(1), 1, 1))
		assert.ErrorIs(t, err, dense.ErrShape)
	})
	t.Run("GatherND-5 attribute without quotes", func(t *testing.T) {
		_, err := ReadLayers(strings.NewReader(`<layer id="1" type="GatherND"><data batch_dims=0 /></layer>`))
		assert.ErrorContains(t, err, "line 1")
	})
}
