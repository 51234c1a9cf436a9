package dense_test

import (
	"fmt"
	"math/rand"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// sets is how many sets of indices a benchmark goes round, so that the branch
// predictor and the cache do not learn one by heart.
const sets = 16

// A setting is a size at which operators are measured.
type setting struct {
	op        string
	axis      int
	batchDims int
	data      dims
	indices   dims
}

func (s setting) String() string {
	name := fmt.Sprintf("axis=%d", s.axis)
	if s.op == "GatherND" {
		name = fmt.Sprintf("k=%d", s.indices[len(s.indices)-1])
	}
	if s.batchDims > 0 {
		name += fmt.Sprintf("/batch_dims=%d", s.batchDims)
	}
	return fmt.Sprintf("%s/data=%s/indices=%s", name, joined(s.data), joined(s.indices))
}

func joined(shape dims) string {
	text := ""
	for i, n := range shape {
		if i > 0 {
			text += "x"
		}
		text += fmt.Sprint(n)
	}
	return text
}

var settings = []setting{
	{op: "Gather", axis: 0, data: dims{4}, indices: dims{4}}, // what a call costs
	{op: "Gather", axis: 0, data: dims{30000, 64}, indices: dims{32, 128}},
	{op: "Gather", axis: 0, data: dims{30000, 300}, indices: dims{1024}},
	{op: "Gather", axis: 0, data: dims{30000}, indices: dims{65536}},
	{op: "Gather", axis: 1, data: dims{64, 1000}, indices: dims{1000}},
	{op: "Gather", axis: 1, data: dims{64, 100, 16}, indices: dims{200}},
	{op: "Gather", axis: 1, batchDims: 1, data: dims{64, 100, 16}, indices: dims{64, 200}},
	{op: "GatherElements", axis: 0, data: dims{4}, indices: dims{4}},
	{op: "GatherElements", axis: 0, data: dims{1000, 256}, indices: dims{500, 256}},
	{op: "GatherElements", axis: 1, data: dims{256, 1000}, indices: dims{256, 500}},
	{op: "GatherElements", axis: 1, data: dims{4096, 50}, indices: dims{4096, 1}},
	{op: "GatherElements", axis: 1, data: dims{64, 100, 32}, indices: dims{64, 50, 32}},
	{op: "GatherND", data: dims{4}, indices: dims{4, 1}},
	{op: "GatherND", data: dims{30000, 64}, indices: dims{4096, 1}},
	{op: "GatherND", data: dims{200, 200, 16}, indices: dims{4096, 2}},
	{op: "GatherND", data: dims{100, 100, 100}, indices: dims{65536, 3}},
	{op: "GatherND", batchDims: 1, data: dims{64, 100, 64}, indices: dims{64, 30, 1}},
}

// inputs makes random data, sets of random indices in range, and a result.
func (s setting) inputs(b *testing.B, dt tensor.Dtype) (data *tensor.Dense, indices [sets]*tensor.Dense, out *tensor.Dense) {
	b.Helper()
	rng := rand.New(rand.NewSource(1))
	data = tensor.New(tensor.WithShape(s.data...), tensor.WithBacking(tensor.Random(dt, tensor.ProdInts(s.data))))
	c := &call{op: s.op, axis: s.axis, batchDims: s.batchDims, data: s.data}
	for i := range indices {
		values := make([]int64, 0, tensor.ProdInts(s.indices))
		for position := range oracle.Coordinates(s.indices) {
			values = append(values, rng.Int63n(int64(s.data[c.addressed(position)])))
		}
		indices[i] = tensor.New(tensor.WithShape(s.indices...), tensor.WithBacking(values))
	}
	out, err := c.run(data, indices[0])
	if err != nil {
		b.Fatal(err)
	}
	return data, indices, out
}

func gatherBenchmarks(b *testing.B, op string, run func(s setting, data, indices *tensor.Dense, reuse dense.Option) error) {
	for _, dt := range []struct {
		name  string
		dtype tensor.Dtype
	}{{"f32", tensor.Float32}, {"f64", tensor.Float64}} {
		for _, s := range settings {
			if s.op != op {
				continue
			}
			b.Run(dt.name+"/"+s.String(), func(b *testing.B) {
				data, indices, out := s.inputs(b, dt.dtype)
				reuse := dense.WithReuse(out)
				b.SetBytes(int64(tensor.ProdInts(out.Shape())) * int64(dt.dtype.Size()))
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if err := run(s, data, indices[i%sets], reuse); err != nil {
						b.Fatal(err)
					}
					i++
				}
			})
		}
	}
}

func BenchmarkGather(b *testing.B) {
	gatherBenchmarks(b, "Gather", func(s setting, data, indices *tensor.Dense, reuse dense.Option) error {
		_, err := dense.Gather(data, indices, s.axis, reuse, dense.WithBatchDims(s.batchDims))
		return err
	})
}

func BenchmarkGatherElements(b *testing.B) {
	gatherBenchmarks(b, "GatherElements", func(s setting, data, indices *tensor.Dense, reuse dense.Option) error {
		_, err := dense.GatherElements(data, indices, s.axis, reuse)
		return err
	})
}

func BenchmarkGatherND(b *testing.B) {
	gatherBenchmarks(b, "GatherND", func(s setting, data, indices *tensor.Dense, reuse dense.Option) error {
		_, err := dense.GatherND(data, indices, reuse, dense.WithBatchDims(s.batchDims))
		return err
	})
}

func addBenchmarks(b *testing.B, op string, run func(s setting, dst, updates, indices *tensor.Dense) error) {
	for _, s := range settings {
		if s.op != op {
			continue
		}
		b.Run("f32/"+s.String(), func(b *testing.B) {
			dst, indices, updates := s.inputs(b, tensor.Float32)
			b.SetBytes(int64(tensor.ProdInts(updates.Shape())) * 4)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if err := run(s, dst, updates, indices[i%sets]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

func BenchmarkAddGather(b *testing.B) {
	addBenchmarks(b, "Gather", func(s setting, dst, updates, indices *tensor.Dense) error {
		return dense.AddGather(dst, updates, indices, s.axis, dense.WithBatchDims(s.batchDims))
	})
}

func BenchmarkAddGatherElements(b *testing.B) {
	addBenchmarks(b, "GatherElements", func(s setting, dst, updates, indices *tensor.Dense) error {
		return dense.AddGatherElements(dst, updates, indices, s.axis)
	})
}

func BenchmarkAddGatherND(b *testing.B) {
	addBenchmarks(b, "GatherND", func(s setting, dst, updates, indices *tensor.Dense) error {
		return dense.AddGatherND(dst, updates, indices, dense.WithBatchDims(s.batchDims))
	})
}
