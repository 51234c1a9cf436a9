package core

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// ScatterMap is one of the linear maps that the derivatives of a scatter consist of. Its
// result depends on data and on updates, and each of the two dependences carries
// gradients backwards and changes forwards: the first two maps are the adjoints of the
// next two.
//
// The last three are the second derivatives of a scatter that multiplies. With g a
// cotangent of the result, and a tangent of data or of updates of which that of the result
// is dy, each is a gradient of <g, dy>. That with respect to data, of a tangent of data, is
// zero. The other reductions have none: they are linear, or like Min and Max linear in
// pieces.
type ScatterMap uint8

// The maps, by what they make out of what.
const (
	VJPData          ScatterMap = iota // the gradient of data, of that of the result
	VJPUpdates                         // the gradient of updates, of that of the result
	JVPData                            // the tangent of the result, of that of data
	JVPUpdates                         // the tangent of the result, of that of updates
	UpdatesByData                      // the gradient of updates, of a tangent of data
	DataByUpdates                      // the gradient of data, of a tangent of updates
	UpdatesByUpdates                   // the gradient of updates, of a tangent of updates
)

// A Lead is an operand of a map before those of the scatter.
type Lead struct {
	Argument  string
	OfUpdates bool // it is like updates, not like data
}

// mapsOf are the operands of the maps before those of the scatter, and whether the result is like
// updates, not like data.
var mapsOf = [...]struct {
	leads     []Lead
	toUpdates bool
}{
	VJPData:          {[]Lead{{"grad", false}}, false},
	VJPUpdates:       {[]Lead{{"grad", false}}, true},
	JVPData:          {[]Lead{{"tangent", false}}, false},
	JVPUpdates:       {[]Lead{{"tangent", true}}, false},
	UpdatesByData:    {[]Lead{{"tangent", false}, {"grad", false}}, true},
	DataByUpdates:    {[]Lead{{"tangent", true}, {"grad", false}}, false},
	UpdatesByUpdates: {[]Lead{{"tangent", true}, {"grad", false}}, true},
}

// Leads are the operands of the map before those of the scatter.
func (d ScatterMap) Leads() []Lead { return mapsOf[d].leads }

// ToUpdates reports whether the result is like updates, not like data.
func (d ScatterMap) ToUpdates() bool { return mapsOf[d].toUpdates }

// Identity reports whether the result is what is given, whatever the indices are.
func (d ScatterMap) Identity(p plan.Params) bool {
	return (d == VJPData || d == JVPData) && !p.NoInit && (p.Reduction == num.Add || p.Reduction == num.Sub)
}

// CheckHVP refuses a second derivative that does not exist. The gradient of a
// least or greatest value jumps where two terms tie.
func CheckHVP(p plan.Params) error {
	if p.Reduction == num.Min || p.Reduction == num.Max {
		return errors.Errorf("%v: the gradient of a reduction %v has no gradient of its own", p, p.Reduction)
	}
	return nil
}

// Apply applies a map to its leading operands, data, indices and updates. It gives dst,
// or a new tensor if dst is nil. On a bad index nothing is written.
//
// All maps take time in proportion to data and updates together, and memory
// for some hundred kilobytes of data at a time on each thread, second derivatives for twice as
// much: see tile in package adjoint. Data is divided by its rows, or its columns; it takes more
// if a row and 16 columns are larger than that. ScatterND and ScatterUpdate take two ints for
// each line of updates besides; and where indices are smaller than data on another axis than
// the first, an int for each update. Tensors that are not row-major, and complex
// factors, may be copied.
func (d ScatterMap) Apply(p plan.Params, dst *tensor.Dense, in ...tensor.Tensor) (_ *tensor.Dense, err error) {
	op := p.Op.String()
	defer Recover(op, &err)
	n := len(d.Leads())
	var s scatter
	if err := s.read(&p, in[n], in[n+1], in[n+2]); err != nil {
		return nil, err
	}
	if !adjoint.HasGradients(s.data.kind) {
		return nil, fault.Errorf(elem.ErrDtype, "%v: values of dtype %v have no gradient", p.Op, elem.Name(s.data.dtype))
	}
	switch {
	case d == JVPUpdates:
		err = CheckHVP(p)
	case d >= UpdatesByData && p.Reduction != num.Mul:
		err = errors.Errorf("%v: a second derivative is needed of mul alone", s.p)
	}
	if err != nil {
		return nil, err
	}
	like := func(updates bool) *view {
		if updates {
			return &s.updates
		}
		return &s.data
	}
	var leads [2]view
	for i, l := range d.Leads() {
		other := like(l.OfUpdates)
		if err := leads[i].readLike(op, l.Argument, in[i], other.shape, other.name, other); err != nil {
			return nil, err
		}
	}
	defer s.x.release()
	to := like(d.ToUpdates())
	// A new tensor is nobody's if an index is bad, and the kernels see that, if any runs.
	unread := dst != nil || d.Identity(p) || d >= UpdatesByData || s.updates.size == 0 || s.data.size == 0
	if err := s.x.ready(&s.p, &s.data, unread); err != nil {
		return nil, err
	}
	return written(op, dst, to.shape, s.data.dtype, func(mem []byte) error {
		out := to.over(mem)
		if s.p.OutOfRange == plan.Reject || s.updates.size == 0 || d.leaves(s.p.Reduction, s.p.NoInit) {
			return d.run(&s, &out, &leads)
		}
		return d.skipping(s, out, leads)
	}, &s.x.view, &s.updates, &s.data, &leads[0], &leads[1])
}

// leaves reports whether the kernels that make the result leave out what is skipped.
func (d ScatterMap) leaves(r num.Reduction, noInit bool) bool {
	ofData := d == VJPData || d == JVPData
	return r == num.Add || r == num.Sub || r == num.None && d != VJPUpdates || ofData && (noInit || r == num.Mul)
}

// skipping is run without the updates that Skip leaves out: their gradient is 0, and a tangent of
// theirs changes nothing. It has its arguments by value, as they are moved to the heap: those of
// Apply, which seldom skips, then are not.
func (d ScatterMap) skipping(s scatter, out view, leads [2]view) error {
	k := s.skip()
	if k.all {
		return d.run(&k.scatter, &out, &leads)
	}
	for i, l := range d.Leads() {
		if l.OfUpdates {
			leads[i] = k.of(&leads[i])
		} else {
			leads[i] = k.likeData(packed(&leads[i]))
		}
	}
	if !d.ToUpdates() {
		to := k.likeData(out)
		return d.run(&k.scatter, &to, &leads)
	}
	left := out.anew(k.shape)
	if left.size > 0 {
		if err := d.run(&k.scatter, &left, &leads); err != nil {
			return err
		}
	}
	k.toUpdates(out, left)
	return nil
}

// run writes the result to packed memory.
func (d ScatterMap) run(s *scatter, out *view, leads *[2]view) error {
	given, r := &leads[0], s.p.Reduction
	switch {
	case d == VJPUpdates:
		return s.vjpUpdates(out, given)
	case d == VJPData, d == JVPData:
		return s.vjpData(out, given, d == VJPData)
	case s.updates.size == 0, s.p.NoInit && (d == UpdatesByData || d == DataByUpdates):
		par.Clear(out.mem)
		return nil
	case d == JVPUpdates && r != num.Mul:
		return s.jvpUpdates(out, given)
	}
	return s.tiled(out, &leads[1], given, ofTangents[d])
}

// ofTangents are the programs of the maps of a product whose result depends on a tangent.
var ofTangents = [...]func(*adjoint.Scatter) int{
	JVPUpdates:       (*adjoint.Scatter).ProductTangent,
	UpdatesByData:    (*adjoint.Scatter).HVPUpdatesByData,
	DataByUpdates:    (*adjoint.Scatter).HVPData,
	UpdatesByUpdates: (*adjoint.Scatter).HVPUpdates,
}
