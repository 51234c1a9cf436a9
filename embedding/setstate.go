package embedding

import (
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// SetState sets the states that an optimiser has for a table, as [Optimizer.State] of
// another process returned them, and the number of steps: training then continues with
// the same bits. It is for rows and states that are sent elsewhere; otherwise use [Save]
// and [Load]. The tensors are not copied: steps change them. The states before are dropped.
//
// Errors: a table in a file, whose states are beside it, or a closed one; steps
// below 0; names that are not those of the optimiser; tensors that share memory with
// the table or each other; [dense.ErrShape], [dense.ErrDtype], [dense.ErrLayout].
func SetState(o Optimizer, t *Table, steps int, state map[string]*tensor.Dense) (err error) {
	const op = "SetState"
	defer core.Recover(op, &err)
	opt, err := ours(op, o)
	if err != nil {
		return err
	}
	if opt == nil {
		return errors.Errorf("%s: the optimiser is nil, NewSGD and its like make one", op)
	}
	if err := t.made(op); err != nil {
		return err
	}
	opt.mu.Lock()
	defer opt.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return errClosed(op)
	case t.file != nil:
		return errors.Errorf("%s: the table is in the file %s, and its state in files beside it; SetState one in memory, Save it, and Load it into this one", op, t.file.path)
	}
	if err := checkSteps(op, steps); err != nil {
		return err
	}
	s, err := opt.stateOf(op, t)
	if err != nil {
		return err
	}
	var memories [2]*memory
	n := 0
	for i, name := range stateNames[opt.rule] {
		if name == "" {
			continue
		}
		given, there := state[name]
		if !there {
			return errors.Errorf("%s: the state %s of %s is missing", op, name, optimizerNames[opt.rule])
		}
		mem, _, err := core.Own(op, "state "+name, given)
		if err != nil {
			return err
		}
		if given.Dtype() != t.dtype {
			return fault.Errorf(dense.ErrDtype, "%s: state %s has dtype %v, the table %v", op, name, given.Dtype(), t.dtype)
		}
		if !slices.Equal(given.Shape(), s.shape) {
			return fault.Errorf(dense.ErrShape, "%s: state %s has shape %v, %v is needed", op, name, fault.Shape(given.Shape()), fault.Shape(s.shape))
		}
		if overlap(mem, t.memory.bytes) || memories[0] != nil && overlap(mem, memories[0].bytes) {
			return errors.Errorf("%s: state %s shares memory with the table or another state", op, name)
		}
		memories[i] = &memory{bytes: mem}
		n++
	}
	if n != len(state) {
		return errors.Errorf("%s: the states %s, which are not those of %s", op, list(namesOf(state)), optimizerNames[opt.rule])
	}
	for _, old := range s.memories {
		if old != nil {
			if err := old.free(); err != nil {
				return errors.WithMessage(err, op)
			}
		}
	}
	s.memories = memories
	s.setSteps(steps)
	return nil
}
