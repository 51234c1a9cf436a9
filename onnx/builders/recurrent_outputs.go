package builders

import (
	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// outputs are the results of the passes: all states, and those at the end.
func (r *recurrence) outputs(passes []*G.Node) ([]*G.Node, error) {
	row := r.parts() * r.hidden
	ends := 1
	if r.cell == "LSTM" {
		ends = 2
	}
	out := make([]*G.Node, 1+ends)
	for i := range out {
		if len(r.node.Outputs) > 0 && !r.wants(i) {
			continue
		}
		var parts []*G.Node
		axis := 1
		for d, y := range passes {
			if r.input(4) != nil {
				var err error
				if y, err = r.rowsOf(y, lengths{reverse: i == 0 && (r.reverse || d == 1), last: i > 0}); err != nil {
					return nil, err
				}
			}
			p := places{whole: y.Shape().Clone()}
			switch {
			case i == 0 && r.batchFirst:
				p.part, p.steps, axis = tensor.Shape{r.batch, r.steps, 1, r.hidden}, []int{row, r.batch * row, 0, 1}, 2
			case i == 0:
				p.part, p.steps = tensor.Shape{r.steps, 1, r.batch, r.hidden}, []int{r.batch * row, 0, row, 1}
			case r.batchFirst:
				p.part, p.steps = tensor.Shape{r.batch, 1, r.hidden}, []int{row, 0, 1}
			default:
				p.part, p.steps, axis = tensor.Shape{1, r.batch, r.hidden}, []int{0, row, 1}, 0
			}
			if i > 0 {
				p.offset = (i - 1) * r.hidden
				if r.input(4) == nil && !r.reverse && d == 0 {
					p.offset += (r.steps - 1) * r.batch * row
				}
			}
			part, err := apply(copying{p}, y)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		y, err := parts[0], error(nil)
		if len(parts) > 1 {
			y, err = apply(joining{axis}, parts...)
		}
		if err != nil {
			return nil, err
		}
		out[i] = y
	}
	return out, nil
}

// rowsOf are the rows of a tensor (steps, batch, …) that sequences have: see [lengths].
// Others are 0.
func (r *recurrence) rowsOf(n *G.Node, f lengths) (*G.Node, error) {
	f.steps, f.batch = r.steps, r.batch
	rows, err := apply(f, r.input(4))
	if err != nil {
		return nil, err
	}
	if n, err = reshape(n, tensor.Shape{f.steps * f.batch, n.Shape()[2]}); err != nil {
		return nil, err
	}
	return gather.Gather(n, rows, 0, gather.WithOutOfRange(gather.ZeroFill))
}
