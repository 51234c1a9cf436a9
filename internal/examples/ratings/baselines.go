package ratings

import "math"

// Baselines are the errors of models that know nothing of tastes, on the ratings
// held out.
type Baselines struct {
	Global      float64 // of the mean of all ratings
	Means       float64 // of the means of user and film
	Biased      float64 // of biases of both
	BiasedValid float64 // of the same, on the ratings that tell when to stop
}

// NewBaselines learns from the ratings that there are to learn from.
func NewBaselines(d *Data) Baselines {
	var b Baselines
	b.Global = d.Error(d.Held, func(int32) float32 { return d.Mean })

	users, items := d.meansOf(d.User, d.Users), d.meansOf(d.Item, d.Items)
	b.Means = d.Error(d.Held, func(k int32) float32 { return users[d.User[k]] + items[d.Item[k]] - d.Mean })

	// How strongly biases are pulled to zero is chosen as the model chooses when to
	// stop.
	best := math.Inf(1)
	for _, pull := range []float64{1, 2, 5, 10, 25} {
		user, item := d.biases(pull)
		say := func(k int32) float32 { return d.Mean + user[d.User[k]] + item[d.Item[k]] }
		if e := d.Error(d.Valid, say); e < best {
			best, b.Biased = e, d.Error(d.Held, say)
		}
	}
	b.BiasedValid = best
	return b
}

// Error is the RMSE on some ratings.
func (d *Data) Error(of []int32, say func(k int32) float32) float64 {
	sum := 0.0
	for _, k := range of {
		diff := float64(d.Clip(say(k)) - d.Value[k])
		sum += diff * diff
	}
	return math.Sqrt(sum / float64(max(len(of), 1)))
}

// meansOf is the mean of the ratings of each user, or film; that of all without
// any.
func (d *Data) meansOf(who []int32, n int) []float32 {
	sum, count := make([]float32, n), make([]float32, n)
	for _, k := range d.Train {
		sum[who[k]] += d.Value[k]
		count[who[k]]++
	}
	for i := range sum {
		if count[i] == 0 {
			sum[i] = d.Mean
		} else {
			sum[i] /= count[i]
		}
	}
	return sum
}

// biases are how far users and films lie above the mean: ridge regression, each in
// turn while the other stays.
func (d *Data) biases(pull float64) (user, item []float32) {
	user, item = make([]float32, d.Users), make([]float32, d.Items)
	fit := func(bias, other []float32, who, whom []int32) {
		sum, count := make([]float64, len(bias)), make([]float64, len(bias))
		for _, k := range d.Train {
			sum[who[k]] += float64(d.Value[k] - d.Mean - other[whom[k]])
			count[who[k]]++
		}
		for i := range bias {
			bias[i] = float32(sum[i] / (count[i] + pull))
		}
	}
	for range 15 {
		fit(item, user, d.Item, d.User)
		fit(user, item, d.User, d.Item)
	}
	return user, item
}
