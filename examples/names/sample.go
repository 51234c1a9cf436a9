package main

import (
	"math"
	"math/rand/v2"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"gorgonia.org/tensor"
)

const (
	invented = 12 // how many names to show

	// Below 1 the likely characters become more likely still: fewer surprises,
	// fewer stumbles.
	temperature = 0.75

	shortest, longest = 4, 30 // characters of a name worth showing
)

// invent lets the model write names, character by character, until it has a
// dozen that are in none of the given lists. It gives up in time when the model
// writes nothing new: then the names are fewer.
func invent(w *weights, c *corpus, rng *rand.Rand) ([]string, error) {
	known := map[string]bool{}
	for _, names := range [][][]int{c.train, c.held} {
		for _, tokens := range names {
			known[c.decode(tokens)] = true
		}
	}
	n, err := newNetwork(w, invented, false)
	if err != nil {
		return nil, err
	}
	defer n.machine.Close()

	var names []string
	title := cases.Title(language.Und)
	for tries := 0; len(names) < invented && tries < 20; tries++ {
		written, err := write(n, rng)
		if err != nil {
			return nil, err
		}
		for _, tokens := range written {
			text := c.decode(tokens)
			if len(tokens) >= shortest && len(tokens) <= longest && !known[text] && len(names) < invented {
				known[text] = true
				names = append(names, title.String(text))
			}
		}
	}
	return names, nil
}

// write draws as many names as the network has rows, all at once.
func write(n *network, rng *rand.Rand) ([][]int, error) {
	clear(n.contexts) // all end: nothing comes before a name
	names := make([][]int, n.batch)
	done := make([]bool, n.batch)
	for range longest + 1 {
		if err := n.run(); err != nil {
			return nil, err
		}
		logP := n.logP.(*tensor.Dense).Float32s()
		symbols := len(logP) / n.batch
		for row := range names {
			if done[row] {
				continue
			}
			t := choose(logP[row*symbols:(row+1)*symbols], rng)
			if done[row] = t == end; done[row] {
				continue
			}
			names[row] = append(names[row], t)
			last := n.contexts[row*window : (row+1)*window]
			copy(last, last[1:])
			last[window-1] = int64(t)
		}
	}
	return names, nil
}

// choose returns a token with a probability proportional to
// exp(logP[token] / temperature).
func choose(logP []float32, rng *rand.Rand) int {
	weight := make([]float64, len(logP))
	var sum float64
	for i, l := range logP {
		weight[i] = math.Exp(float64(l) / temperature)
		sum += weight[i]
	}
	left := rng.Float64() * sum
	for i, w := range weight {
		if left -= w; left < 0 {
			return i
		}
	}
	return end // rounding: the weights add up to a hair less than their sum
}
