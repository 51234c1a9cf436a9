package builders

import (
	"math"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An attentionCase is one Attention by its definition, number by number.
type attentionCase struct {
	batch, heads, kv, q, k, size, value int
	rank                                int
	causal                              bool
	scale, softcap                      float64 // 0 unless given
	mask                                []int   // the shape of a mask, nil for none
	bools                               bool
}

// headOf is an element of an input of rank 4, or of rank 3 with heads.
func headOf(a array, heads, b, h, i, d int) float64 {
	if len(a.shape) == 4 {
		return a.at(b, h, i, d)
	}
	return a.at(b, i, h*(a.shape[2]/heads)+d)
}

func (c attentionCase) want(in []array, mask *array) array {
	q, k, v := in[0], in[1], in[2]
	scale := c.scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(c.size))
	}
	at := func(b, h, i, d int) float64 {
		group := h / (c.heads / c.kv)
		sum, total := 0.0, 0.0
		for j := range c.k {
			score := 0.0
			for e := range c.size {
				score += headOf(q, c.heads, b, h, i, e) * headOf(k, c.kv, b, group, j, e) * scale
			}
			if c.softcap > 0 {
				score = c.softcap * math.Tanh(score/c.softcap)
			}
			if mask != nil {
				last := mask.shape[len(mask.shape)-1]
				if last != 1 && j >= last {
					continue
				}
				m := mask.spread([]int{b, h, i, j})
				if c.bools && m == 0 {
					continue
				}
				if !c.bools {
					score += m
				}
			}
			if c.causal && j > i {
				continue
			}
			total += math.Exp(score)
			sum += math.Exp(score) * headOf(v, c.kv, b, group, j, d)
		}
		if total == 0 {
			return 0
		}
		return sum / total
	}
	if c.rank == 3 {
		return made([]int{c.batch, c.q, c.heads * c.value}, func(x []int) float64 { return at(x[0], x[2]/c.value, x[1], x[2]%c.value) })
	}
	return made([]int{c.batch, c.heads, c.q, c.value}, func(x []int) float64 { return at(x[0], x[1], x[2], x[3]) })
}

// TestAttention holds values against the definition and gradients against differences, on
// both machines.
func TestAttention(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, c := range []attentionCase{
		{2, 2, 2, 3, 4, 2, 3, 4, false, 0, 0, nil, false},
		{2, 2, 2, 3, 4, 2, 3, 3, false, 0.7, 0, nil, false},
		{1, 4, 2, 3, 3, 2, 2, 4, true, 0, 0, nil, false},
		{2, 4, 1, 2, 3, 2, 1, 3, false, 0, 1.5, nil, false},
		{2, 2, 2, 3, 4, 2, 2, 4, false, 0, 0, []int{3, 4}, false},
		{2, 2, 2, 3, 4, 2, 2, 4, true, 0, 0, []int{2, 1, 3, 4}, false},
		{2, 2, 2, 3, 4, 2, 2, 4, false, 0, 2, []int{2, 3, 4}, true},
		{2, 2, 1, 3, 4, 2, 2, 3, true, 0, 0, []int{2, 1, 1, 4}, true},
		{1, 2, 2, 3, 4, 2, 2, 4, false, 0, 0, []int{3, 2}, true},
		{1, 2, 2, 3, 4, 2, 2, 4, false, 0, 0, []int{3, 2}, false},
		{1, 2, 2, 3, 4, 2, 2, 4, false, 0, 0, []int{3, 1}, true},
	} {
		shapes := [][]int{{c.batch, c.heads, c.q, c.size}, {c.batch, c.kv, c.k, c.size}, {c.batch, c.kv, c.k, c.value}}
		attrs := attributes{}
		if c.rank == 3 {
			for i, s := range shapes {
				shapes[i] = []int{s[0], s[2], s[1] * s[3]}
			}
			attrs["q_num_heads"], attrs["kv_num_heads"] = int64(c.heads), int64(c.kv)
		}
		if c.causal {
			attrs["is_causal"] = int64(1)
		}
		if c.scale > 0 {
			attrs["scale"] = float32(c.scale)
			c.scale = float64(float32(c.scale))
		}
		if c.softcap > 0 {
			attrs["softcap"] = float32(c.softcap)
		}
		normal := func([]int) float64 { return rng.NormFloat64() }
		var arrays []array
		var inputs []gradtest.Input
		for _, shape := range shapes {
			a := made(shape, normal)
			arrays = append(arrays, a)
			inputs = append(inputs, gradtest.Input{Value: value(slices.Clone(a.values), shape...), Differentiate: true})
		}
		var mask *array
		var shown []bool
		if c.mask != nil {
			m := made(c.mask, normal)
			if c.bools {
				m = made(c.mask, func([]int) float64 { return float64(rng.Intn(2)) })
				m.values[0], m.values[len(m.values)-1] = 0, 1
				for _, x := range m.values {
					shown = append(shown, x != 0)
				}
			} else {
				inputs = append(inputs, gradtest.Input{Value: value(slices.Clone(m.values), c.mask...), Differentiate: true})
			}
			mask = &m
		}
		build := func(in []*G.Node) (*G.Node, error) {
			if shown != nil {
				in = append(slices.Clone(in), G.NewTensor(in[0].Graph(), tensor.Bool, len(c.mask), G.WithName("mask"), G.WithShape(c.mask...), G.WithValue(value(shown, c.mask...))))
			}
			out, err := Attention(onnx.Node{Opset: 23, Attributes: attrs}, in...)
			if err != nil {
				return nil, err
			}
			return out[0], nil
		}
		got, err := gradtest.Graph(inputs, build, rng)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		want := c.want(arrays, mask)
		if !slices.Equal(got.Shape, want.shape) {
			t.Fatalf("%+v: shape %v, want %v", c, got.Shape, want.shape)
		}
		for i, v := range want.values {
			if !gradtest.Close(got.Output[i], v, 1e-10) {
				t.Fatalf("%+v: got %v\nwant %v", c, got.Output, want.values)
			}
		}
	}
}

// TestRotaryEmbedding holds values against rotations of pairs and gradients against
// differences.
func TestRotaryEmbedding(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for _, c := range []struct {
		rank, n            int
		interleaved, cache bool // cache: with position_ids
	}{{4, 0, false, false}, {4, 0, true, true}, {3, 2, false, true}, {3, 4, true, false}, {3, 2, true, false}, {4, 4, false, true}} {
		const batch, heads, length, size, places = 2, 2, 3, 6, 5
		shape := []int{batch, heads, length, size}
		attrs := attributes{"rotary_embedding_dim": int64(c.n)}
		if c.rank == 3 {
			shape, attrs["num_heads"] = []int{batch, length, heads * size}, int64(heads)
		}
		if c.interleaved {
			attrs["interleaved"] = int64(1)
		}
		n := c.n
		if n == 0 {
			n = size
		}
		angles := []int{batch, length, n / 2}
		if c.cache {
			angles = []int{places, n / 2}
		}
		// float is the only type that the operator takes: numbers that it holds exactly.
		draw := func([]int) float64 { return float64(rng.Intn(9)-4) / 4 }
		arrays := []array{made(shape, draw), made(angles, draw), made(angles, draw)}
		ids := make([]int64, batch*length)
		for i := range ids {
			ids[i] = int64(rng.Intn(places))
		}
		angle := func(i, b, s, p int) float64 {
			if c.cache {
				return arrays[i].at(int(ids[b*length+s]), p)
			}
			return arrays[i].at(b, s, p)
		}
		at := func(b, h, s, d int) float64 {
			x := func(d int) float64 { return headOf(arrays[0], heads, b, h, s, d) }
			if d >= n {
				return x(d)
			}
			p, first, second := d%(n/2), d%(n/2), d%(n/2)+n/2
			if c.interleaved {
				p, first, second = d/2, d/2*2, d/2*2+1
			}
			cosine, sine := angle(1, b, s, p), angle(2, b, s, p)
			if d == first {
				return cosine*x(first) - sine*x(second)
			}
			return sine*x(first) + cosine*x(second)
		}
		want := made(shape, func(i []int) float64 {
			if c.rank == 3 {
				return at(i[0], i[2]/size, i[1], i[2]%size)
			}
			return at(i[0], i[1], i[2], i[3])
		})
		node := onnx.Node{Opset: 23, Attributes: attrs}
		tensors := []tensor.Tensor{value(converted[float32](arrays[0].values), shape...), value(converted[float32](arrays[1].values), angles...), value(converted[float32](arrays[2].values), angles...)}
		if c.cache {
			tensors = append(tensors, value(ids, batch, length))
		}
		got, err := onnx.EvalWith(RotaryEmbedding, node, tensors...)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		compareTo(t, "", got[0], tensor.Float32, want)
		// The gradients, in double, by the parts that the operator is made of.
		var inputs []gradtest.Input
		for i, a := range arrays {
			inputs = append(inputs, gradtest.Input{Value: value(slices.Clone(a.values), [][]int{shape, angles, angles}[i]...), Differentiate: true})
		}
		_, err = gradtest.Graph(inputs, func(in []*G.Node) (*G.Node, error) {
			nodes := slices.Clone(in)
			if c.cache {
				nodes = append(nodes, G.NewMatrix(in[0].Graph(), tensor.Int64, G.WithName("ids"), G.WithShape(batch, length), G.WithValue(value(ids, batch, length))))
			}
			return (&call{op: "RotaryEmbedding", node: node, version: versions["RotaryEmbedding"][0], inputs: nodes}).rotaryEmbedding()
		}, rng)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
	}
}
