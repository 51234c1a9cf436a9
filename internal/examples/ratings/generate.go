package ratings

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
)

// Made-up ratings come from tastes: a film belongs to a genre, a user likes some
// genres and not others, both have a bias, and chance adds its share. So there is
// something to find, and it is known how well it can be found.

var genres = []string{"Comedy", "Drama", "Western", "Horror", "Musical", "Science fiction", "Romance", "Documentary"}

// Chance is the standard deviation of the noise.
const Chance = 0.6

// MadeUp makes ratings up, the same ones each time it is gone through. What a user
// and a film are like is computed from their numbers: ten million users take no
// memory, and neither do the ratings.
func MadeUp(seed uint64, users, items, count int) iter.Seq[Rating] {
	return func(yield func(Rating) bool) {
		rng := rand.New(rand.NewPCG(seed, 2))
		for range count {
			user := rng.IntN(users)
			// Few films have many ratings: the k-th as many as the first, over √k.
			x := rng.Float64()
			item := min(int(x*x*float64(items)), items-1)
			u, f := newTaste(seed, 3, user), newTaste(seed, 4, item)
			like := 0.6*u.likes[item%len(genres)] + f.likes[user%len(genres)]*0.2
			value := 3.5 + 0.4*u.bias + 0.4*f.bias + like + Chance*rng.NormFloat64()
			if !yield(Rating{int32(user), int32(item), float32(min(max(math.Round(2*value)/2, 0.5), 5))}) {
				return
			}
		}
	}
}

// Generate makes ratings up, in memory.
func Generate(seed uint64, users, items, count int) *Ratings {
	r := &Ratings{Users: users, Items: items, Source: MadeUpSource(users, items, count)}
	for rating := range MadeUp(seed, users, items, count) {
		r.add(rating.User, rating.Item, rating.Value)
	}
	if items <= 100_000 {
		for item := range items {
			r.Titles = append(r.Titles, fmt.Sprintf("%s %d", genres[item%len(genres)], item/len(genres)+1))
		}
	}
	return r
}

// MadeUpSource is the text about synthetic ratings.
func MadeUpSource(users, items, count int) string {
	return fmt.Sprintf("%d synthetic ratings of %d films by %d users\n"+
		"(examples/ratings/fetch.sh fetches real ones, -ratings reads them)", count, items, users)
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
