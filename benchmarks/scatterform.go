package main

// scatterForm is a scatter of ONNX that does what the case does. ONNX has no
// operator for the gradient of a gather, and no ScatterUpdate, so ONNX Runtime
// gets these as one of its scatters, and OpenVINO the gradients.
type scatterForm struct {
	Op      string `json:"op"`
	Axis    int    `json:"axis"`
	Indices []int  `json:"indices"`
	values  [][]int64
}

// scatterForm prepares the indices, which is not timed. Where data is looked
// up along its first axis they stay as they are, in another shape. Along
// another axis ONNX wants an index for every element of updates, and batches as
// coordinates.
func (p *Problem) scatterForm() scatterForm {
	f := scatterForm{Op: p.Op, Axis: p.Axis, Indices: p.Indices}
	if p.Op == "GatherTree" {
		return f // its indices are of another dtype, and never become others
	}
	for _, x := range p.indices {
		f.values = append(f.values, x.Int64s())
	}
	if p.Mode != Gradient && p.Op != "ScatterUpdate" {
		return f
	}
	switch {
	case p.Op == "GatherElements", p.Op == "Gather" && len(p.Data) == 1 && len(p.Indices) == 1:
		f.Op = "ScatterElements"
	case p.Op == "GatherND" && p.BatchDims == 0:
		f.Op = "ScatterND"
	case p.Op == "GatherND":
		f.Op = "ScatterND"
		f.Indices = append(append([]int{}, p.Indices[:len(p.Indices)-1]...), p.BatchDims+p.tuple())
		for s, x := range f.values {
			f.values[s] = p.withBatches(x)
		}
	case p.Axis == 0:
		f.Op = "ScatterND"
		f.Indices = append(append([]int{}, p.Indices...), 1)
	default:
		f.Op = "ScatterElements"
		f.Indices = p.updatesShape()
		for s, x := range f.values {
			f.values[s] = p.spread(x)
		}
	}
	return f
}

// withBatches puts the coordinates of its batch before each tuple.
func (p *Problem) withBatches(x []int64) []int64 {
	k, b := p.tuple(), p.BatchDims
	tuples := len(x) / k
	batch := p.Indices[:b]
	perBatch := tuples / size(batch)
	var wide []int64
	for t := range tuples {
		at := t / perBatch
		coordinates := make([]int64, b)
		for d := b - 1; d >= 0; d-- {
			coordinates[d] = int64(at % batch[d])
			at /= batch[d]
		}
		wide = append(wide, coordinates...)
		wide = append(wide, x[t*k:(t+1)*k]...)
	}
	return wide
}

// spread repeats the indices, which are those of one axis, for each element of
// updates.
func (p *Problem) spread(x []int64) []int64 {
	inner := size(p.Data[p.Axis+1:])
	wide := make([]int64, size(p.updatesShape()))
	for i := range wide {
		wide[i] = x[i/inner%len(x)]
	}
	return wide
}
