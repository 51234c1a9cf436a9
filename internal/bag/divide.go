package bag

import "gorgonia.org/gather/internal/par"

// DivideByCounts writes to out the gradient of the results, (Bags, Inner), with each row
// divided by the number of its bag's positions, but for those that are left out: what
// every position gets of the gradient of a mean. A row is divided once, and not for each
// position.
func (d *Description) DivideByCounts(out, grad []byte) {
	if row := d.rowBytes(); row > 0 {
		d.begin(out[:d.Bags*row], grad[:d.Bags*row], nil).run((*job).divideGradients, d.Bags, row)
	}
}

func (j *job) divideGradients(lo, hi int) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	for bags, in := range j.chunks(interval{lo, hi}, len(buf.counts)) {
		rows := j.out[bags.lo*j.row : bags.hi*j.row]
		par.Copy(rows, j.grad[bags.lo*j.row:bags.hi*j.row])
		j.counts(buf, bags, in)
		for t, count := range buf.counts[:bags.hi-bags.lo] {
			buf.counts[t] = max(1, count) // an empty bag's row goes to the default row
		}
		j.divide(buf, rows, bags.hi-bags.lo, j.row)
	}
	return -1
}
