package diff

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// Operator is the operator of a node that package gather has made, as node.Op()
// returns it.
type Operator interface {
	G.Op
	// Params says what the operator does.
	Params() plan.Params
}

// gatherOf is what an operator does, which the caller needs to be a gather.
func gatherOf(caller string, op G.Op) (plan.Params, error) {
	p, ok := paramsOf(op)
	if !ok || !p.Op.Gathers() {
		return p, errors.Errorf("%s: op is %s, the operator of a gather is needed", caller, fault.Cut(fmt.Sprint(op)))
	}
	return p, nil
}

// scatterOf is what an operator does, which the caller needs to be a scatter.
func scatterOf(caller string, op G.Op) (plan.Params, error) {
	p, ok := paramsOf(op)
	if !ok || !p.Op.Scatters() {
		return p, errors.Errorf("%s: op is %s, the operator of a scatter is needed", caller, fault.Cut(fmt.Sprint(op)))
	}
	return p, nil
}

// paramsOf is what an operator of package gather does. There is nothing for other
// operators, and for a nil pointer in the interface.
func paramsOf(op G.Op) (p plan.Params, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if op, is := op.(Operator); is {
		return op.Params(), true
	}
	return p, false
}
