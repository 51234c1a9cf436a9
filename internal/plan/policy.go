package plan

import (
	"slices"
	"strconv"
	"strings"

	"gorgonia.org/gather/internal/fault"
)

// OutOfRange is what an operator does with an index outside its axis.
type OutOfRange uint8

// The policies.
const (
	Reject   OutOfRange = iota // an error
	ZeroFill                   // zeros in the result, nothing in the gradient
	Clamp                      // the nearest index in range
	Skip                       // its update is left out
)

var policies = [...]struct{ name, setting string }{
	Reject: {"Reject", "error"}, ZeroFill: {"ZeroFill", "zeros"}, Clamp: {"Clamp", "clamp"}, Skip: {"Skip", "skip"},
}

// String is the name of the constant, or the number of one that there is not.
func (m OutOfRange) String() string {
	if int(m) < len(policies) {
		return policies[m].name
	}
	return strconv.Itoa(int(m))
}

// setting is what String of Params has.
func (m OutOfRange) setting() string {
	if int(m) < len(policies) {
		return policies[m].setting
	}
	return m.String()
}

// policies are those that an operator has.
func (op Op) policies() []OutOfRange {
	switch {
	case op.Gathers():
		return []OutOfRange{Reject, ZeroFill, Clamp}
	case op.Scatters(), op.Segments() && op != EmbeddingSegments:
		return []OutOfRange{Reject, Skip}
	}
	return []OutOfRange{Reject, ZeroFill}
}

func (p *Params) checkPolicy() error {
	has := p.Op.policies()
	if slices.Contains(has, p.OutOfRange) {
		return nil
	}
	names := make([]string, len(has))
	for i, m := range has {
		names[i] = m.String()
	}
	last := len(names) - 1
	return fault.Errorf(ErrOption, "%v: WithOutOfRange(%v), allowed are %s and %s", p.Op, p.OutOfRange, strings.Join(names[:last], ", "), names[last])
}
