package core

import (
	"slices"
	"sync"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/loss"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// Loss is a loss of classification: the cross-entropy of scores, or the negative of the
// logarithms of probabilities.
type Loss struct {
	Op        string // for errors
	LogProbs  bool
	Reduction num.Reduction // Mean, Add or None
	Ignores   bool
	Ignored   int64 // the class that does not count, if there is one
	Smoothing float64
}

// Arguments are the names of the operands, of which the last one may be left out.
func (l *Loss) Arguments() []string {
	if l.LogProbs {
		return []string{"logProbs", "classes", "weights"}
	}
	return []string{"scores", "classes", "weights"}
}

// Check refuses settings that there are not.
func (l *Loss) Check() error {
	switch {
	case l.Reduction != num.Mean && l.Reduction != num.Add && l.Reduction != num.None:
		return fault.Errorf(plan.ErrOption, "%s: WithReduction(%v), Mean, Add and None are allowed", l.Op, l.Reduction)
	case l.LogProbs && l.Smoothing != 0:
		return fault.Errorf(plan.ErrOption, "%s: WithSmoothing is an option of CrossEntropy", l.Op)
	case !(l.Smoothing >= 0 && l.Smoothing <= 1):
		return fault.Errorf(plan.ErrOption, "%s: WithSmoothing(%v), a number from 0 to 1 is allowed", l.Op, l.Smoothing)
	}
	return nil
}

// CheckDtypes checks the dtypes of the operands.
func (l *Loss) CheckDtypes(dtypes ...tensor.Dtype) error {
	names := l.Arguments()
	if kind := elem.KindOf(dtypes[0]); kind != num.Float32 && kind != num.Float64 {
		return fault.Errorf(elem.ErrDtype, "%s: %s have dtype %v, allowed are float32 and float64", l.Op, names[0], elem.Name(dtypes[0]))
	}
	if !elem.IsIndex(dtypes[1]) {
		return fault.Errorf(elem.ErrDtype, "%s: classes have dtype %v, integers are needed", l.Op, elem.Name(dtypes[1]))
	}
	if len(dtypes) > 2 && !elem.Same(&dtypes[2], &dtypes[0]) {
		return fault.Errorf(elem.ErrDtype, "%s: weights have dtype %v, %s have %v, they must be equal", l.Op, elem.Name(dtypes[2]), names[0], elem.Name(dtypes[0]))
	}
	return nil
}

// Shape is that of the result: that of classes for None, and else a scalar's.
func (l *Loss) Shape(in ...tensor.Shape) (tensor.Shape, error) {
	scores, classes := in[0], in[1]
	name := l.Arguments()[0]
	if len(scores) < 2 {
		return nil, fault.Errorf(shapes.ErrShape, "%s: %s have shape %v, (examples, classes) or (examples, classes, …) is needed", l.Op, name, fault.Shape(scores))
	}
	want := append(tensor.Shape{scores[0]}, scores[2:]...)
	if !slices.Equal(classes, want) {
		return nil, fault.Errorf(shapes.ErrShape, "%s: classes have shape %v, %v is needed for %s of shape %v%s",
			l.Op, fault.Shape(classes), fault.Shape(want), name, fault.Shape(scores), fault.ScalarHint(classes, want))
	}
	if len(in) > 2 && !slices.Equal(in[2], tensor.Shape{scores[1]}) {
		return nil, fault.Errorf(shapes.ErrShape, "%s: weights have shape %v, (%d) is needed, one for each class%s",
			l.Op, fault.Shape(in[2]), scores[1], fault.ScalarHint(in[2], tensor.Shape{scores[1]}))
	}
	if l.Reduction == num.None {
		return want, nil
	}
	return tensor.ScalarShape(), nil
}

// lossCall is the operands of a loss, read.
type lossCall struct {
	scores  view
	classes indices
	weights view
	shape   tensor.Shape // of the result
	losses  []float64    // memory for a number of each example
	targets []int64      // likewise
	floats  []float64    // memory for the weights
}

// lossCalls are for the next call, too, with their memory.
var lossCalls = sync.Pool{New: func() any { return new(lossCall) }}

// read reads the operands; weights may be nil. of is the loss of them.
func (l *Loss) read(in []tensor.Tensor) (c *lossCall, of loss.Loss, err error) {
	c = lossCalls.Get().(*lossCall)
	dtypes, all := make([]tensor.Dtype, len(in)), make([]tensor.Shape, len(in))
	for i, v := range []*view{&c.scores, &c.classes.view, &c.weights}[:len(in)] {
		if err := v.read(l.Op, l.Arguments()[i], in[i]); err != nil {
			return c, of, err
		}
		dtypes[i], all[i] = v.dtype, v.shape
	}
	if err := l.CheckDtypes(dtypes...); err != nil {
		return c, of, err
	}
	if c.shape, err = l.Shape(all...); err != nil {
		return c, of, err
	}
	c.losses, c.targets = num.Resize(c.losses, c.classes.size), num.Resize(c.targets, c.classes.size)
	var weights []float64
	if len(in) > 2 {
		c.floats = num.Resize(c.floats, c.weights.size)
		weights = c.weights.floatsTo(c.floats)
	}
	s := c.scores.shape
	of = loss.Loss{Outer: s[0], Classes: s[1], Inner: product(s[2:]), LogProbs: l.LogProbs, Targets: c.targets, Weights: weights, Smoothing: l.Smoothing}
	return c, of, c.readTargets(l)
}

// readTargets checks the classes.
func (c *lossCall) readTargets(l *Loss) error {
	x, padding := &c.classes, plan.Settings{Padded: l.Ignores, Padding: l.Ignored}
	x.widen(c.targets, x.packTo(c.targets), padding.Beyond())
	for i, class := range c.targets {
		switch {
		case l.Ignores && class == l.Ignored:
			c.targets[i] = -1
		case class < 0 || class >= int64(c.scores.shape[1]):
			return errors.WithStack(&IndexError{
				Op: l.Op, Argument: c.classes.name, Position: Position(i, c.classes.shape), Index: class, Axis: 1, Size: c.scores.shape[1], NonNegative: true,
			})
		}
	}
	return nil
}

// floatsTo writes floats in any layout to memory for as many.
func (v *view) floatsTo(to []float64) []float64 {
	num.Floats[v.kind].Read(to, packedMemory(v))
	return to
}

// release gives the memory back, without what it was for.
func (c *lossCall) release() {
	*c = lossCall{targets: c.targets, losses: c.losses, floats: c.floats}
	lossCalls.Put(c)
}

// Forward runs the loss of scores, classes and, if there are any, weights. The result is dst,
// or a new tensor if dst is nil.
func (l *Loss) Forward(dst *tensor.Dense, in ...tensor.Tensor) (_ *tensor.Dense, err error) {
	defer Recover(l.Op, &err)
	c, of, err := l.read(in)
	defer c.release()
	if err != nil {
		return nil, err
	}
	return written(l.Op, dst, c.shape, c.scores.dtype, func(mem []byte) error {
		if of.Classes == 0 {
			par.Clear(c.losses) // all of them are ignored
		}
		of.Losses(c.scores.kind, c.losses, packedMemory(&c.scores))
		losses := c.losses
		if l.Reduction != num.None {
			sum, weights := of.Add(losses)
			if l.Reduction == num.Mean {
				sum /= weights
			}
			losses = append(c.losses[:0], sum)
		}
		num.Floats[c.scores.kind].Write(mem, losses)
		return nil
	}, &c.scores, &c.classes.view, &c.weights)
}

// Gradient runs the gradient of the scores, given that of the result and the operands. The
// result is dst, or a new tensor if dst is nil.
func (l *Loss) Gradient(dst *tensor.Dense, grad tensor.Tensor, in ...tensor.Tensor) (_ *tensor.Dense, err error) {
	defer Recover(l.Op, &err)
	c, of, err := l.read(in)
	defer c.release()
	if err != nil {
		return nil, err
	}
	var g view
	if err := g.read(l.Op, "grad", grad); err != nil {
		return nil, err
	}
	if !slices.Equal(g.shape, c.shape) || !elem.Same(&g.dtype, &c.scores.dtype) {
		return nil, fault.Errorf(shapes.ErrShape, "%s: grad is %v of shape %v, the loss is %v of shape %v",
			l.Op, elem.Name(g.dtype), fault.Shape(g.shape), elem.Name(c.scores.dtype), fault.Shape(c.shape))
	}
	return written(l.Op, dst, c.scores.shape, c.scores.dtype, func(mem []byte) error {
		grads := g.floatsTo(c.losses[:g.size])
		if l.Reduction != num.None {
			all := grads[0]
			if l.Reduction == num.Mean {
				_, weights := of.Add(c.losses)
				all /= weights
			}
			grads = c.losses
			num.Fill(grads, all)
		}
		of.Gradient(c.scores.kind, mem, packedMemory(&c.scores), grads)
		return nil
	}, &g, &c.scores, &c.classes.view, &c.weights)
}
