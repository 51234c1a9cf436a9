package core

import (
	"math"
	"slices"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/simd"
)

// ready loads the indices and settles them. If no kernel will read them it checks them, too.
func (x *indices) ready(p *plan.Params, data *view, unread bool) error {
	x.load(p.Beyond())
	err := x.settle(p, data)
	if err == nil && unread && p.OutOfRange == plan.Reject {
		err = x.indexError(p, data, firstBad(p, data, x))
	}
	if err != nil {
		x.release()
	}
	return err
}

// settle replaces indices that are loaded by a copy, if their policy or a padding wants what
// no kernel does. With Clamp each is in range: one below the first is the first, and one
// behind the last is the last. An axis of size 0 has neither, and any index of it is an
// error. With a padding the others are checked or clamped, as the policy says, and what is
// left out is -1: the params then say so.
func (x *indices) settle(p *plan.Params, data *view) error {
	k := x.axes(p)
	if p.OutOfRange != plan.Clamp && !p.Padded || k == 0 || x.size == 0 {
		return nil
	}
	sizes := data.shape[firstAxis(p):][:k]
	if empty := slices.Index(sizes, 0); empty >= 0 && !p.Padded {
		return x.indexError(p, data, empty)
	}
	memory := takeScratch(x.size)
	s := settlings.Get().(*settling)
	*s = settling{to: num.Bytes(*memory), from: x.loaded, from32: x.is32, rule: rule{sizes, p.Settings}}
	if s.to32 = slices.Max(sizes) <= math.MaxInt32; s.to32 {
		s.to = s.to[:4*x.size] // of which less is written and read
	}
	err := x.indexError(p, data, par.Run(s, x.size/k, par.Grains(x.size, 8)))
	x.release()
	x.loaded, x.is32, x.scratch = s.to, s.to32, memory
	*s = settling{}
	settlings.Put(s)
	if p.Padded {
		*p = p.PaddingLeftOut()
	}
	return err
}

// settling is the job of settling index tuples.
type settling struct {
	to, from     []byte
	to32, from32 bool // they hold int32, else int64
	rule
}

var settlings = sync.Pool{New: func() any { return new(settling) }}

// Piece settles the tuples lo to hi, and returns the position of the first bad index, or -1.
func (s *settling) Piece(lo, hi int) int {
	lo, hi = lo*len(s.sizes), hi*len(s.sizes)
	switch {
	case s.to32 && s.from32:
		return settle[int32, int32](s, lo, hi)
	case s.to32:
		return settle[int32, int64](s, s.inVectors(lo, hi), hi)
	case s.from32:
		return settle[int64, int32](s, lo, hi)
	}
	return settle[int64, int64](s, lo, hi)
}

func settle[T, F int32 | int64](s *settling, lo, hi int) int {
	bad := leaveOut(&s.rule, num.As[T](s.to)[lo:hi], num.As[F](s.from)[lo:hi])
	if bad >= 0 {
		bad += lo
	}
	return bad
}

// inVectors clamps indices of one axis from lo on, and returns the first that is left.
func (s *settling) inVectors(lo, hi int) int {
	if simd.Active().Clamp == nil || len(s.sizes) > 1 || s.Padded {
		return lo
	}
	to, from := num.As[int32](s.to), num.As[int64](s.from)
	for n := 0; hi-lo >= 8; lo += n {
		n = min(hi-lo, simd.ItemsAtOnce) &^ 7
		s.clampVectors(&to[lo], &from[lo], n)
	}
	return lo
}

// clampVectors is where Go can interrupt the goroutine between two calls into assembly.
//
//go:noinline
func (s *settling) clampVectors(to *int32, from *int64, n int) {
	simd.Active().Clamp(to, from, n, int64(s.sizes[0])-1, int64(s.negativeOffset(s.sizes[0])))
}
