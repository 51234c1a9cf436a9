package oracle

import "math"

// Loss is a loss of classification. Scores have the classes on axis 1.
type Loss struct {
	LogProbs  bool
	Ignores   bool
	Ignored   int64
	Smoothing float64
	Weights   []float64 // nil: all are 1
	Reduction string    // "mean", "sum" or "none"
}

// Of is the loss, as it is reduced.
func (l Loss) Of(scores Array[float64], classes Array[int64]) Array[float64] {
	each, sum := New[float64](classes.Shape...), 0.0
	for c := range Coordinates(classes.Shape) {
		class, counts := l.class(classes, c)
		if !counts {
			continue
		}
		logs := l.logs(scores, c)
		loss := -l.weight(class) * logs[class]
		if l.Smoothing != 0 {
			loss *= 1 - l.Smoothing
			for j, log := range logs {
				loss -= l.Smoothing / float64(len(logs)) * l.weight(j) * log
			}
		}
		each.Set(loss, c...)
		sum += loss
	}
	switch l.Reduction {
	case "none":
		return each
	case "mean":
		sum /= l.divisor(classes)
	}
	return From([]float64{sum})
}

// Gradient is that of the scores: by the logarithms, and by their derivatives.
func (l Loss) Gradient(grad Array[float64], scores Array[float64], classes Array[int64]) Array[float64] {
	out := New[float64](scores.Shape...)
	for c := range Coordinates(classes.Shape) {
		class, counts := l.class(classes, c)
		if !counts {
			continue
		}
		var g float64
		switch l.Reduction {
		case "none":
			g = grad.At(c...)
		case "mean":
			g = grad.Data[0] / l.divisor(classes)
		default:
			g = grad.Data[0]
		}
		logs := l.logs(scores, c)
		ofLogs, all := make([]float64, len(logs)), 0.0
		for j := range logs {
			if j == class {
				ofLogs[j] -= g * (1 - l.Smoothing) * l.weight(j)
			}
			if l.Smoothing != 0 {
				ofLogs[j] -= g * l.Smoothing / float64(len(logs)) * l.weight(j)
			}
			all += ofLogs[j]
		}
		for j, log := range logs {
			d := ofLogs[j]
			if !l.LogProbs {
				d -= math.Exp(log) * all
			}
			out.Set(d, join(c[:1], []int{j}, c[1:])...)
		}
	}
	return out
}

func (l Loss) class(classes Array[int64], c []int) (class int, counts bool) {
	v := classes.At(c...)
	return int(v), !l.Ignores || v != l.Ignored
}

// logs are the logarithms of the probabilities of an example.
func (l Loss) logs(scores Array[float64], c []int) []float64 {
	x := make([]float64, scores.Shape[1])
	most := math.Inf(-1)
	for j := range x {
		x[j] = scores.At(join(c[:1], []int{j}, c[1:])...)
		most = max(most, x[j])
	}
	if l.LogProbs {
		return x
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - most)
	}
	for j := range x {
		x[j] = x[j] - most - math.Log(sum)
	}
	return x
}

// divisor is the sum of the weights of the classes that count.
func (l Loss) divisor(classes Array[int64]) float64 {
	sum := 0.0
	for c := range Coordinates(classes.Shape) {
		if class, counts := l.class(classes, c); counts {
			sum += l.weight(class)
		}
	}
	return sum
}

func (l Loss) weight(class int) float64 {
	if l.Weights == nil {
		return 1
	}
	return l.Weights[class]
}
