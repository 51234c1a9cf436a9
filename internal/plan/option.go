package plan

import (
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// ErrOption marks an option that the operator does not have, or a value that
// the option does not take.
var ErrOption = errors.New("option not allowed")

// Option carries one or more settings of a call. It is a plain value, so that
// passing options allocates nothing.
type Option struct {
	given Given
	set   Settings
	reuse *tensor.Dense
}

// Given is the set of settings that an Option carries.
type Given uint16

// The settings.
const (
	BatchDims Given = 1 << iota
	FusedBatchDims
	OutOfRangePolicy
	NonNegative
	ReductionKind
	InitValue
	DefaultIndexGiven
	LengthsGiven
	LastOffsetGiven
	FillModeGiven
	EmptySegment
	PaddingGiven
	Reuse
)

// names are the options' constructors, in the order of the bits of Given.
var names = [...]string{
	"WithBatchDims", "WithFusedBatchDims", "WithOutOfRange",
	"WithNonNegativeIndices", "WithReduction", "WithInitValue",
	"WithDefaultIndex", "WithLengths", "WithLastOffset", "WithFillMode", "WithEmptySegment", "WithPadding", "WithReuse",
}

// names are the constructors of the settings, for messages.
func (g Given) names() string {
	var list []string
	for bit, name := range names {
		if g>>bit&1 == 1 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

// allowed lists the settings of each operator.
var allowed = [...]Given{
	Gather:          BatchDims | OutOfRangePolicy | NonNegative | PaddingGiven | Reuse,
	GatherElements:  OutOfRangePolicy | NonNegative | PaddingGiven | Reuse,
	GatherND:        BatchDims | FusedBatchDims | OutOfRangePolicy | NonNegative | PaddingGiven | Reuse,
	ScatterElements: OutOfRangePolicy | NonNegative | ReductionKind | InitValue | PaddingGiven | Reuse,
	ScatterND:       OutOfRangePolicy | NonNegative | ReductionKind | InitValue | PaddingGiven | Reuse,
	ScatterUpdate:   OutOfRangePolicy | NonNegative | ReductionKind | InitValue | PaddingGiven | Reuse,
	GatherTree:      Reuse,

	EmbeddingBagOffsets: OutOfRangePolicy | NonNegative | ReductionKind | DefaultIndexGiven | Borders | PaddingGiven | Reuse,
	EmbeddingBagPacked:  OutOfRangePolicy | NonNegative | ReductionKind | PaddingGiven | Reuse,
	EmbeddingSegments:   OutOfRangePolicy | NonNegative | ReductionKind | DefaultIndexGiven | PaddingGiven | Reuse,

	SegmentMax:     OutOfRangePolicy | FillModeGiven | EmptySegment | PaddingGiven | Reuse,
	SegmentSum:     OutOfRangePolicy | EmptySegment | PaddingGiven | Reuse,
	SegmentMean:    OutOfRangePolicy | EmptySegment | PaddingGiven | Reuse,
	SegmentMin:     OutOfRangePolicy | EmptySegment | PaddingGiven | Reuse,
	SegmentProd:    OutOfRangePolicy | EmptySegment | PaddingGiven | Reuse,
	SegmentSoftmax: OutOfRangePolicy | PaddingGiven | Reuse,
}

// Of makes the Option that carries the given settings of s.
func Of(given Given, s Settings) Option { return Option{given: given, set: s} }

// Into makes the Option that carries a dst.
func Into(dst *tensor.Dense) Option { return Option{given: Reuse, reuse: dst} }

// Resolve makes p, which is zero, the params of a call: the operator, its axis and its options,
// later ones winning. The result is the dst of WithReuse, if one was given. Params are filled in
// place: to return them is to copy them twice, which takes 10 ns.
func (p *Params) Resolve(op Op, axis int, opts ...Option) (dst *tensor.Dense, err error) {
	return p.resolve(op, axis, allowed[op], opts)
}

// ForAdjoint is Resolve for the adjoint of an operator, whose dst is an argument.
func (p *Params) ForAdjoint(op Op, axis int, opts ...Option) error {
	dst, err := p.resolve(op, axis, allowed[op]&^Reuse, opts)
	switch {
	case err != nil:
		return errors.WithMessagef(err, "Add%v", op)
	case dst != nil:
		return fault.Errorf(ErrOption, "Add%v: WithReuse does not apply, dst is an argument", op)
	}
	return nil
}

// resolve is Resolve, with the settings that a message is to list.
func (p *Params) resolve(op Op, axis int, listed Given, opts []Option) (dst *tensor.Dense, err error) {
	p.Op, p.Axis, p.Reduction = op, axis, op.reduction()
	for i := range opts {
		o := &opts[i]
		if bad := o.given &^ allowed[op]; bad != 0 {
			return nil, fault.Errorf(ErrOption, "%v: %s does not apply, the options are: %s", op, (bad & -bad).names(), listed.names())
		}
		for rest := o.given &^ Reuse; rest != 0; rest &= rest - 1 {
			p.Settings.take(rest&-rest, &o.set)
		}
		if o.given&Reuse != 0 {
			if dst = o.reuse; dst == nil {
				return nil, fault.Errorf(ErrOption, "%v: WithReuse(nil), a *tensor.Dense is needed", op)
			}
		}
	}
	if p.OutOfRange != Reject {
		if err = p.checkPolicy(); err != nil {
			return nil, err
		}
	}
	if op.Bags() {
		return dst, p.checkBags()
	}
	if p.Reduction > Mean {
		return nil, fault.Errorf(ErrOption, "%v: WithReduction(%v), allowed are none, add, sub, mul, min, max and mean", op, p.Reduction)
	}
	return dst, nil
}

// take takes one setting of another.
func (s *Settings) take(setting Given, from *Settings) {
	switch setting {
	case BatchDims:
		s.BatchDims = from.BatchDims
	case FusedBatchDims:
		s.FusedBatchDims = from.FusedBatchDims
	case OutOfRangePolicy:
		s.OutOfRange = from.OutOfRange
	case NonNegative:
		s.NonNegative = from.NonNegative
	case ReductionKind:
		s.Reduction = from.Reduction
	case InitValue:
		s.NoInit = from.NoInit
	case DefaultIndexGiven:
		s.HasDefault, s.DefaultIndex = from.HasDefault, from.DefaultIndex
	case LengthsGiven:
		s.Lengths = from.Lengths
	case LastOffsetGiven:
		s.LastOffset = from.LastOffset
	case FillModeGiven:
		s.FillMode, s.Empty = from.FillMode, 0 // which says the same
		s.SkipBehind = from.SkipBehind         // OpenVINO's, as the mode is
	case EmptySegment:
		s.Empty, s.FillMode = from.Empty, FillZero
	case PaddingGiven:
		s.Padded, s.Padding = from.Padded, from.Padding
	}
}

// Borders are the settings that say how the offsets of bags are to be read.
const Borders = LengthsGiven | LastOffsetGiven

// ForTable resolves the options of a call of a table, which has those that are allowed: of
// Borders and Reuse.
func ForTable(call string, allowed Given, opts []Option) (s Settings, dst *tensor.Dense, err error) {
	for i := range opts {
		o := &opts[i]
		if bad := o.given &^ allowed; bad != 0 {
			return s, nil, fault.Errorf(ErrOption, "%s: %s does not apply, the options are: %s", call, (bad & -bad).names(), allowed.names())
		}
		s.Lengths = s.Lengths || o.set.Lengths
		s.LastOffset = s.LastOffset || o.set.LastOffset
		if o.given&Reuse == 0 {
			continue
		}
		if dst = o.reuse; dst == nil {
			return s, nil, fault.Errorf(ErrOption, "%s: WithReuse(nil), a *tensor.Dense is needed", call)
		}
	}
	return s, dst, s.checkBorders(call)
}

// checkBorders refuses two ways to read offsets at once.
func (s *Settings) checkBorders(call string) error {
	if s.Lengths && s.LastOffset {
		return fault.Errorf(ErrOption, "%s: WithLengths and WithLastOffset are given, one of them is allowed", call)
	}
	return nil
}

// checkBags refuses settings that no bag has.
func (p *Params) checkBags() error {
	if r := p.Reduction; r != Add && r != Mean && r != Max && r != SqrtN {
		return fault.Errorf(ErrOption, "%v: WithReduction(%v), allowed are add, mean, sqrtn and max", p.Op, r)
	}
	if err := p.checkBorders(p.Op.String()); err != nil {
		return err
	}
	if p.FillMode > FillLowest {
		return fault.Errorf(ErrOption, "%v: WithFillMode(%d), allowed are FillZero and FillLowest", p.Op, p.FillMode)
	}
	if p.HasDefault && p.DefaultIndex == -1 && p.Op == EmbeddingBagOffsets {
		p.HasDefault, p.DefaultIndex = false, 0
	}
	if p.HasDefault && p.DefaultIndex < 0 {
		none := ""
		if p.Op == EmbeddingBagOffsets {
			none = ", and -1 for none"
		}
		return fault.Errorf(ErrOption, "%v: WithDefaultIndex(%d), the rows of the table are allowed%s", p.Op, p.DefaultIndex, none)
	}
	if p.HasDefault && p.Padded && int64(p.DefaultIndex) == p.Padding {
		return fault.Errorf(ErrOption, "%v: WithDefaultIndex(%d) is the padding of WithPadding(%d), which is no row", p.Op, p.DefaultIndex, p.Padding)
	}
	return nil
}

// ForGraph is the params of a graph operator, whose machine decides where results
// go: it has no dst.
func ForGraph(op Op, axis int, opts ...Option) (p Params, err error) {
	dst, err := p.resolve(op, axis, allowed[op]&^Reuse, opts)
	if err == nil && dst != nil {
		err = fault.Errorf(ErrOption, "%v: WithReuse applies to package dense only", op)
	}
	return p, err
}
