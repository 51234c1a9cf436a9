package kernel

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/turns"
)

// randomNest draws the loops of a call: axes of data and of items in any order, packed or
// with gaps, of which the operator addresses one or two, some with the same element many times, and
// some with a few for many indices that are the same for all of a loop.
func randomNest(rng *rand.Rand) (w walkCase) {
	k, many, same := 1+rng.IntN(2), rng.IntN(4) == 0, rng.IntN(8) == 0
	var loops []Loop
	tuples := 1
	for i := range 1 + rng.IntN(4) {
		n := 1 + rng.IntN(6)
		if many && i == 0 {
			n = []int{40, 700, 1300}[rng.IntN(3)]
		}
		loops = append(loops, Loop{N: n})
	}
	shared := !same && rng.IntN(8) == 0
	if shared {
		k, loops = 1, []Loop{{N: 10 + rng.IntN(50)}, {N: 10 + rng.IntN(50)}}
	}
	last := len(loops) - 1
	if same {
		loops[last].N = 17 + rng.IntN(2)*600
	}
	for _, i := range rng.Perm(len(loops)) { // items
		loops[i].Items = max(1, w.items)
		w.items = loops[i].Items*loops[i].N + rng.IntN(3)/2*3
	}
	for i := len(loops) - 1; i >= 0; i-- { // indices, in the order of the loops
		if !shared && (i == 0 || rng.IntN(3) > 0) || (same || shared) && i == last {
			loops[i].Idx = tuples
			tuples *= loops[i].N
		}
	}
	w.axes = make([]Axis, k)
	for _, i := range rng.Perm(len(loops) + k) { // data
		stride := max(1, w.data)
		if i >= len(loops) {
			w.axes[i-len(loops)] = Axis{1 + rng.IntN(9), stride}
			if same {
				w.axes[i-len(loops)].Size = 1
			}
			w.data = stride*w.axes[i-len(loops)].Size + rng.IntN(3)/2*2
		} else if loops[i].Idx == 0 || rng.IntN(2) == 0 && !(same && i == last) {
			loops[i].Data = stride
			w.data = stride*loops[i].N + rng.IntN(3)/2*2
		}
	}
	w.pick, w.name = loops, fmt.Sprint(loops, w.axes)
	w.data, w.items = max(1, w.data), max(1, w.items)
	return w
}

// TestRandomNests gathers, scatters and reduces along nests of loops of all sorts, and does
// the same position by position.
func TestRandomNests(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer par.UseCores(4)()
	rng := rand.New(rand.NewPCG(21, 22))
	n := 2000
	switch {
	case turns.Every():
		n = 4000
	case testing.Short():
		n = 400
	case race.Enabled:
		n = 800
	}
	for i := range n {
		w := randomNest(rng)
		if i%(n/9) == 0 { // seldom: the world stops for it
			runtime.GOMAXPROCS(1 + i/(n/9)%3)
		}
		for _, op := range []string{"gather", "scatter", "reduce"} {
			kind := []num.Kind{num.Int8, num.Int16, num.Float32, num.Int64, num.Complex128}[rng.IntN(5)]
			bad := rng.IntN(3)
			w.run(t, kind, op, bad > 0 && rng.IntN(2) == 0, bad)
			if t.Failed() {
				t.Fatalf("%s of %v, %d bad", op, w.name, bad)
			}
		}
	}
}

// TestCursor compares the offsets and the places of a cursor with those of an odometer, in
// windows of several sizes, with bad tuples that get marks.
func TestCursor(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for number := range 2000 {
		if !turns.Case(3, number) {
			continue
		}
		w := randomNest(rng)
		c := Get()
		tuples := 1
		for _, l := range w.pick {
			tuples += (l.N - 1) * l.Idx
		}
		idx := make([]int64, tuples*len(w.axes))
		for i := range idx {
			idx[i] = int64(rng.IntN(w.axes[i%len(w.axes)].Size))
			if rng.IntN(12) == 0 {
				idx[i] = 99
			}
		}
		d := w.description(num.Bytes(idx))
		c.Describe(&d)
		var e nest
		e.describe(c, true)
		p := e.part(new(part), 0, e.steps())
		var want, places, got, gotPlaces []int64
		var o odometer
		o.reset(e.loops[:e.tail], position{})
		for more := true; more; more = o.step() {
			at := int64(o.data)
			for a, axis := range w.axes {
				if j := idx[o.idx*len(w.axes)+a]; j >= int64(axis.Size) {
					at = par.LeftOut * 2
				} else {
					at += j * int64(axis.Stride)
				}
			}
			want, places = append(want, max(at, -1)), append(places, int64(o.items))
		}
		atOnce := 1 + rng.IntN(30)
		window := par.WindowOf(atOnce, rng.IntN(5))
		window.UsePlaces()
		outer, inner, left := p.lastTwo()
		cur := cursor{part: p, outerLoop: outer, innerLoop: inner, marks: true, places: true, left: left}
		for {
			if bad := cur.fill(window); bad >= 0 {
				t.Fatalf("%s: index %d is bad in spite of marks", w.name, bad)
			}
			n := window.Ready(cur.left == 0)
			if n == 0 {
				break
			}
			for i := range n {
				got, gotPlaces = append(got, max(window.Offsets[i], -1)), append(gotPlaces, window.Places[i])
			}
			window.Drop(n)
		}
		window.Release()
		if !slices.Equal(got, want) || !slices.Equal(gotPlaces, places) {
			t.Fatalf("%s, %d at once: offsets %v at %v, want %v at %v", w.name, atOnce, got, gotPlaces, want, places)
		}
		c.Put()
	}
}

// TestInBlocks looks for bytes that an iteration of the divided loop may write to outside of the
// block that is said to be its own.
func TestInBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	found := 0
	for range 2000 {
		w := randomNest(rng)
		c := Get()
		tuples := 1
		for _, l := range w.pick {
			tuples += (l.N - 1) * l.Idx
		}
		d := w.description(make([]byte, 8*tuples*len(w.axes)))
		c.Describe(&d)
		var s scatter
		if s.describe(c, true); len(s.loops) == 0 {
			c.Put()
			continue
		}
		s.divided = rng.IntN(len(s.loops))
		block := s.loops[s.divided].Data
		if !s.inBlocks() {
			c.Put()
			continue
		}
		found++
		if s.steps()*block > w.data {
			t.Fatalf("%s, loop %d: %d blocks of %d bytes in %d", w.name, s.divided, s.steps(), block, w.data)
		}
		all := slices.Clone(s.loops)
		all[s.divided].N = 1
		for _, a := range c.Axes {
			all = append(all, Loop{N: a.Size, Data: a.Stride})
		}
		for i := range s.steps() {
			var o odometer
			o.reset(all, position{data: i * block})
			for more := true; more; more = o.step() {
				if end := o.data + s.unit; o.data < i*block || end > (i+1)*block {
					t.Fatalf("%s, loop %d: iteration %d writes to bytes %d to %d, its block has %d", w.name, s.divided, i, o.data, end, block)
				}
			}
		}
		c.Put()
	}
	if found < 100 {
		t.Errorf("%d of the calls are in blocks", found)
	}
}
