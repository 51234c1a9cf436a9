package onnxruntime

import "math/rand/v2"

// flaws are what can be wrong with a config. Each draws the wrong value, or reports that the operator cannot have
// the flaw.
var flaws = []struct {
	name string
	draw func(c *config, rng *rand.Rand) bool
}{
	{"an opset that lacks the operator", func(c *config, rng *rand.Rand) bool {
		switch {
		case c.op == "Scatter":
			c.opset = pick(rng, []int{8, 11})
		case c.op == "TensorScatter":
			c.opset = 23
		case c.op != "Gather":
			c.opset = 10
		default:
			return false
		}
		return true
	}},
	{"an attribute that the version lacks", func(c *config, rng *rand.Rand) bool {
		name := pick(rng, []string{"axis", "batch_dims", "reduction", "mode"})
		if name == "axis" && c.op != "GatherND" && c.op != "ScatterND" {
			return false
		}
		if name == "batch_dims" && c.op == "GatherND" && c.since >= 12 || name == "reduction" && c.reductions != nil ||
			name == "mode" && c.op == "TensorScatter" {
			return false
		}
		c.attrs[name] = int64(0)
		if name == "reduction" {
			c.attrs[name] = pick(rng, []string{"none", "add"})
		}
		if name == "mode" {
			c.attrs[name] = "linear"
		}
		return true
	}},
	{"a reduction or mode that the version lacks", func(c *config, rng *rand.Rand) bool {
		switch {
		case c.op == "TensorScatter":
			c.attrs["mode"] = pick(rng, []string{"ring", "Linear", ""})
		case c.reductions != nil && c.since < 18:
			c.attrs["reduction"] = pick(rng, []string{"min", "max", "mean", "sum", "Add", ""})
		case c.reductions != nil:
			c.attrs["reduction"] = pick(rng, []string{"mean", "sum", "prod", "Add", ""})
		default:
			return false
		}
		return true
	}},
	{"an attribute of the wrong type", func(c *config, rng *rand.Rand) bool {
		switch {
		case c.reductions != nil:
			c.attrs["reduction"] = int64(1)
		case c.op == "GatherND" && c.since >= 12:
			c.attrs["batch_dims"] = "0"
		case c.op == "GatherND" || c.op == "ScatterND":
			return false
		default:
			c.attrs["axis"] = "0"
		}
		return true
	}},
	{"an axis out of range", func(c *config, rng *rand.Rand) bool {
		switch c.op {
		case "GatherND", "ScatterND":
			return false
		case "TensorScatter":
			c.attrs["axis"] = pick(rng, []int64{0, -int64(c.r), int64(c.r), -int64(c.r) - 1})
		default:
			c.attrs["axis"] = pick(rng, []int64{int64(c.r), -int64(c.r) - 1, 1 << 40, -1 << 63})
		}
		return true
	}},
	{"batch_dims out of range", func(c *config, rng *rand.Rand) bool {
		if c.op != "GatherND" || c.since < 12 {
			return false
		}
		c.attrs["batch_dims"] = pick(rng, []int64{-1, int64(min(c.r, c.q)), int64(c.r), 1 << 40})
		return true
	}},
	{"an index dtype that the version lacks", func(c *config, rng *rand.Rand) bool {
		c.itype = pick(rng, []DType{Int8, Int16, Uint8, Uint16, Uint32, Uint64})
		if len(c.index) == 1 && rng.IntN(2) == 0 {
			c.itype = Int32
		}
		if c.op == "TensorScatter" {
			c.write = true
		}
		return true
	}},
	{"a dtype that the version lacks", func(c *config, rng *rand.Rand) bool {
		c.dtype, c.updates = BFloat16, BFloat16
		return c.since < 13
	}},
	{"updates of another dtype", func(c *config, rng *rand.Rand) bool {
		c.updates = pick(rng, types9)
		return c.op[0] != 'G' && c.updates != c.dtype
	}},
	{"data of rank 0", func(c *config, rng *rand.Rand) bool {
		c.r = 0
		if c.op != "Gather" && rng.IntN(2) == 0 {
			c.q = 0
		}
		return true
	}},
	{"indices of another rank", func(c *config, rng *rand.Rand) bool {
		switch c.op {
		case "Gather":
			return false
		case "GatherND", "ScatterND":
			c.q, c.b = 0, 0
			return true
		}
		c.q += pick(rng, []int{-1, 1})
		c.write = true
		return true
	}},
	{"tuples of length 0", func(c *config, rng *rand.Rand) bool {
		c.k = 0
		return c.op == "GatherND"
	}},
	{"tuples longer than the rank", func(c *config, rng *rand.Rand) bool {
		c.k = c.r - c.b + 1 + rng.IntN(2)
		return c.op == "GatherND" || c.op == "ScatterND"
	}},
	{"updates of another rank", func(c *config, rng *rand.Rand) bool {
		c.uRank = pick(rng, []int{-1, 1})
		return c.op[0] != 'G'
	}},
	{"an input missing", func(c *config, rng *rand.Rand) bool {
		c.extra = -1
		if c.op == "TensorScatter" && c.write {
			c.extra = -2 // write_indices may be left out
		}
		return true
	}},
	{"an input too many", func(c *config, rng *rand.Rand) bool {
		c.extra = 1
		if c.op == "TensorScatter" {
			c.write = true
		}
		return true
	}},
}

// drawFlaw draws something that is wrong with the config.
func (c *config) drawFlaw(rng *rand.Rand) {
	for {
		f := pick(rng, flaws)
		changed := *c
		changed.attrs = Attributes{}
		for name, value := range c.attrs {
			changed.attrs[name] = value
		}
		if f.draw(&changed, rng) {
			changed.flaw = f.name
			*c = changed
			return
		}
	}
}
