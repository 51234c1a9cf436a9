package main

import "math/rand/v2"

// ratings are what users think of films. Users and films are numbered from 0 on.
type ratings struct {
	user, item   []int32
	value        []float32
	users, items int
	titles       []string // of films; nil: there are none
	source       string   // where they are from, as a line
}

func (r *ratings) add(user, item int, value float32) {
	r.user, r.item, r.value = append(r.user, int32(user)), append(r.item, int32(item)), append(r.value, value)
}

// data is ratings, divided: a model learns from train, valid tells when it has learnt
// enough, and held is what it is measured on.
type data struct {
	*ratings
	train, valid, held []int32 // numbers of ratings
	mean               float32 // of train
	least, most        float32 // a rating is not below or above
}

// split divides ratings at random: a tenth is held out, a twentieth tells when to
// stop.
func split(r *ratings, seed uint64) *data {
	d := &data{ratings: r, least: r.value[0], most: r.value[0]}
	rng := rand.New(rand.NewPCG(seed, 1))
	sum := 0.0
	for k, value := range r.value {
		d.least, d.most = min(d.least, value), max(d.most, value)
		switch x := rng.Float64(); {
		case x < 0.1:
			d.held = append(d.held, int32(k))
		case x < 0.15:
			d.valid = append(d.valid, int32(k))
		default:
			d.train = append(d.train, int32(k))
			sum += float64(value)
		}
	}
	d.mean = float32(sum / float64(len(d.train)))
	return d
}

// clip moves what a model says to where ratings are.
func (d *data) clip(value float32) float32 { return min(max(value, d.least), d.most) }

// shuffled are the ratings to learn from in the order of an epoch, which depends on
// seed and epoch alone: an epoch that is resumed has the same.
func (d *data) shuffled(seed uint64, epoch int) []int32 {
	order := append([]int32(nil), d.train...)
	rng := rand.New(rand.NewPCG(seed, 1<<32+uint64(epoch)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}
