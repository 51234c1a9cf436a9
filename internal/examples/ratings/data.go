// Package ratings has ratings of films to learn from: read from a file or synthetic,
// divided, and what models that know nothing of tastes make of them.
package ratings

import (
	"iter"
	"math/rand/v2"
)

// Rating is what a user thinks of a film. Users and films are numbered from 0 on.
type Rating struct {
	User, Item int32
	Value      float32
}

// Ratings are some, in memory.
type Ratings struct {
	User, Item   []int32
	Value        []float32
	Users, Items int
	Titles       []string // of films; nil: there are none
	Source       string   // where they are from, as a line
}

func (r *Ratings) add(user, item int32, value float32) {
	r.User, r.Item, r.Value = append(r.User, user), append(r.Item, item), append(r.Value, value)
}

// All is one rating after the other.
func (r *Ratings) All() iter.Seq[Rating] {
	return func(yield func(Rating) bool) {
		for k, value := range r.Value {
			if !yield(Rating{r.User[k], r.Item[k], value}) {
				return
			}
		}
	}
}

// Part is what a rating is for.
type Part uint8

const (
	Train Part = iota // a model learns from it
	Valid             // it tells when a model has learnt enough
	Held              // what a model is measured on
)

// Parts says what the ratings are for, one after the other, at random: a tenth is
// held out, a twentieth tells when to stop.
func Parts(seed uint64) (next func() Part) {
	rng := rand.New(rand.NewPCG(seed, 1))
	return func() Part {
		switch x := rng.Float64(); {
		case x < 0.1:
			return Held
		case x < 0.15:
			return Valid
		}
		return Train
	}
}

// Data is ratings, divided.
type Data struct {
	*Ratings
	Train, Valid, Held []int32 // numbers of ratings
	Mean               float32 // of Train
	Least, Most        float32 // a rating is not below or above
}

// Split divides ratings by [Parts].
func Split(r *Ratings, seed uint64) *Data {
	d := &Data{Ratings: r, Least: r.Value[0], Most: r.Value[0]}
	next := Parts(seed)
	sum := 0.0
	for k, value := range r.Value {
		d.Least, d.Most = min(d.Least, value), max(d.Most, value)
		switch next() {
		case Held:
			d.Held = append(d.Held, int32(k))
		case Valid:
			d.Valid = append(d.Valid, int32(k))
		default:
			d.Train = append(d.Train, int32(k))
			sum += float64(value)
		}
	}
	d.Mean = float32(sum / float64(len(d.Train)))
	return d
}

// Clip moves what a model says to where ratings are.
func (d *Data) Clip(value float32) float32 { return min(max(value, d.Least), d.Most) }

// Shuffled are the ratings to learn from in the order of an epoch, which depends on
// seed and epoch alone: an epoch that is resumed has the same.
func (d *Data) Shuffled(seed uint64, epoch int) []int32 {
	order := append([]int32(nil), d.Train...)
	rng := rand.New(rand.NewPCG(seed, 1<<32+uint64(epoch)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}
