package main

import "math/rand/v2"

// moment is one push and what came of it.
type moment struct {
	before state
	action int
	after  state
}

// memory keeps the last moments, as many as it has room for. Learning from
// random ones, and not from each as it comes, keeps an agent from being swayed
// by the seconds it has just lived through, which are all alike.
type memory struct {
	size    int
	moments []moment
	oldest  int // where, once the memory is full
}

func newMemory(size int) *memory { return &memory{size: size} }

// add forgets the oldest moment when there is no more room.
func (m *memory) add(now moment) {
	if len(m.moments) < m.size {
		m.moments = append(m.moments, now)
		return
	}
	m.moments[m.oldest] = now
	m.oldest = (m.oldest + 1) % m.size
}

// draw returns n random moments, the same one perhaps more than once. The
// memory must not be empty.
func (m *memory) draw(n int, rng *rand.Rand) []moment {
	drawn := make([]moment, n)
	for i := range drawn {
		drawn[i] = m.moments[rng.IntN(len(m.moments))]
	}
	return drawn
}
