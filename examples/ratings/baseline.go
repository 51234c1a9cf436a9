package main

import "math"

// The models that know nothing of tastes.

// baselines are the errors of models to compare with, on the ratings held out.
type baselines struct {
	global, means, biased float64
	biasedValid           float64 // of biased, on the ratings that tell when to stop
}

func newBaselines(d *data) baselines {
	var b baselines
	b.global = d.error(d.held, func(int32) float32 { return d.mean })

	users, items := d.meansOf(d.user, d.users), d.meansOf(d.item, d.items)
	b.means = d.error(d.held, func(k int32) float32 { return users[d.user[k]] + items[d.item[k]] - d.mean })

	// How strongly biases are pulled to zero is chosen as the model chooses when to
	// stop.
	best := math.Inf(1)
	for _, pull := range []float64{1, 2, 5, 10, 25} {
		user, item := d.biases(pull)
		say := func(k int32) float32 { return d.mean + user[d.user[k]] + item[d.item[k]] }
		if e := d.error(d.valid, say); e < best {
			best, b.biased = e, d.error(d.held, say)
		}
	}
	b.biasedValid = best
	return b
}

// error is the root of the mean squared error on some ratings.
func (d *data) error(of []int32, say func(k int32) float32) float64 {
	sum := 0.0
	for _, k := range of {
		diff := float64(d.clip(say(k)) - d.value[k])
		sum += diff * diff
	}
	return math.Sqrt(sum / float64(max(len(of), 1)))
}

// meansOf is the mean of the ratings of each user, or film; that of all without
// any.
func (d *data) meansOf(who []int32, n int) []float32 {
	sum, count := make([]float32, n), make([]float32, n)
	for _, k := range d.train {
		sum[who[k]] += d.value[k]
		count[who[k]]++
	}
	for i := range sum {
		if count[i] == 0 {
			sum[i] = d.mean
		} else {
			sum[i] /= count[i]
		}
	}
	return sum
}

// biases are how far users and films lie above the mean: ridge regression, each in
// turn while the other stays.
func (d *data) biases(pull float64) (user, item []float32) {
	user, item = make([]float32, d.users), make([]float32, d.items)
	fit := func(bias, other []float32, who, whom []int32) {
		sum, count := make([]float64, len(bias)), make([]float64, len(bias))
		for _, k := range d.train {
			sum[who[k]] += float64(d.value[k] - d.mean - other[whom[k]])
			count[who[k]]++
		}
		for i := range bias {
			bias[i] = float32(sum[i] / (count[i] + pull))
		}
	}
	for range 15 {
		fit(item, user, d.item, d.user)
		fit(user, item, d.user, d.item)
	}
	return user, item
}
