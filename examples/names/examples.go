package main

import "math/rand/v2"

// examples are the questions a model answers, with the right answers:
// question i is "what follows contexts[i*window:(i+1)*window]?", and the answer
// next[i].
type examples struct {
	contexts []int64
	next     []int64
}

// newExamples takes one example from each character of each name, its end
// included: of "ab" the questions end in ·· → a, ·a → b and ab → end.
func newExamples(names [][]int) *examples {
	e := &examples{}
	for _, tokens := range names {
		last := make([]int64, window) // all end: nothing comes before a name
		for _, t := range tokens {
			e.contexts = append(e.contexts, last...)
			e.next = append(e.next, int64(t))
			last = append(last[1:], int64(t))
		}
	}
	return e
}

func (e *examples) len() int { return len(e.next) }

// read copies the examples named by ids into contexts and next, which have the
// fixed size of a batch; where ids are fewer, the places left over keep what
// they had, and the caller ignores the answers there.
func (e *examples) read(ids []int, contexts, next []int64) {
	for row, id := range ids {
		copy(contexts[row*window:(row+1)*window], e.contexts[id*window:])
		next[row] = e.next[id]
	}
}

// shuffled returns the ids of all examples in random order.
func (e *examples) shuffled(rng *rand.Rand) []int { return rng.Perm(e.len()) }
