package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Made-up ratings come from tastes: a film belongs to a genre, a user likes some
// genres and not others, both have a bias, and chance adds its share. So there is
// something to find, and it is known how well it can be found.

var genres = []string{"Comedy", "Drama", "Western", "Horror", "Musical", "Science fiction", "Romance", "Documentary"}

// chance is the standard deviation of what nobody can foretell.
const chance = 0.6

// generate makes ratings up. What a user and a film are like is computed from
// their numbers each time: ten million users take no memory.
func generate(seed uint64, users, items, count int) *ratings {
	r := &ratings{users: users, items: items}
	rng := rand.New(rand.NewPCG(seed, 2))
	for range count {
		user := rng.IntN(users)
		// Few films have many ratings: the k-th as many as the first, over √k.
		x := rng.Float64()
		item := min(int(x*x*float64(items)), items-1)
		u, f := newTaste(seed, 3, user), newTaste(seed, 4, item)
		like := 0.6*u.likes[item%len(genres)] + f.likes[user%len(genres)]*0.2
		value := 3.5 + 0.4*u.bias + 0.4*f.bias + like + chance*rng.NormFloat64()
		r.add(user, item, float32(min(max(math.Round(2*value)/2, 0.5), 5)))
	}
	if items <= 100_000 {
		for item := range items {
			r.titles = append(r.titles, fmt.Sprintf("%s %d", genres[item%len(genres)], item/len(genres)+1))
		}
	}
	r.source = fmt.Sprintf("%d ratings of %d films by %d users, made up, as no -ratings file is given: examples/ratings/fetch.sh fetches real ones",
		count, items, users)
	return r
}

// taste is what a user, or a film, is like.
type taste struct {
	bias  float64
	likes [8]float64
}

func newTaste(seed, of uint64, number int) (t taste) {
	rng := rand.New(rand.NewPCG(seed<<8|of, uint64(number)))
	t.bias = rng.NormFloat64()
	for g := range t.likes {
		t.likes[g] = rng.NormFloat64()
	}
	return t
}
