package builders

import "math"

// families are the curves with numbers of their own, which attributes give.
// Slopes at kinks are PyTorch's.
var families = map[string]func(alpha, beta float64) curve{
	"LeakyRelu": func(alpha, _ float64) curve {
		return curve{
			at:    func(x float64) float64 { return pieces(x, alpha*x, x) },
			slope: func(x float64) float64 { return pieces(x, alpha, 1) },
		}
	},
	"ThresholdedRelu": func(alpha, _ float64) curve {
		return curve{
			at:    func(x float64) float64 { return pieces(x-alpha, 0, x) },
			slope: func(x float64) float64 { return pieces(x-alpha, 0, 1) },
		}
	},
	// beta times x, and alpha beta times exp(x) - 1 below 0: Elu has beta 1.
	"Elu": func(alpha, beta float64) curve {
		return curve{
			at:    func(x float64) float64 { return beta * pieces(x, alpha*math.Expm1(min(x, 0)), x) },
			slope: func(x float64) float64 { return beta * pieces(x, alpha*math.Exp(min(x, 0)), 1) },
		}
	},
	"Celu": func(alpha, _ float64) curve {
		return curve{
			at:    func(x float64) float64 { return pieces(x, alpha*math.Expm1(min(x, 0)/alpha), x) },
			slope: func(x float64) float64 { return pieces(x, math.Exp(min(x, 0)/alpha), 1) },
		}
	},
	"HardSigmoid": func(alpha, beta float64) curve {
		return curve{
			at: func(x float64) float64 { return max(0, min(1, alpha*x+beta)) },
			slope: func(x float64) float64 {
				if y := alpha*x + beta; y <= 0 || y >= 1 {
					return 0
				}
				return alpha
			},
		}
	},
	"Clip": func(low, high float64) curve {
		return curve{
			at: func(x float64) float64 { return min(max(x, low), high) },
			slope: func(x float64) float64 {
				if x <= low || x >= high {
					return 0
				}
				return 1
			},
		}
	},
	"Swish": func(alpha, _ float64) curve {
		return curve{
			at: func(x float64) float64 { return x * sigmoid(alpha*x) },
			slope: func(x float64) float64 {
				y := sigmoid(alpha * x)
				return y + alpha*x*y*(1-y)
			},
		}
	},
	// 1 over the root of x + epsilon, which normalisations multiply by.
	"inverse root": func(epsilon, _ float64) curve {
		return curve{
			at:       func(x float64) float64 { return 1 / math.Sqrt(x+epsilon) },
			slope:    func(y float64) float64 { return -0.5 * y * y * y },
			ofResult: true,
		}
	},
}

// activations are curves without numbers of their own.
var activations = map[string]curve{
	"Gelu": {
		at:    func(x float64) float64 { return x * normalBelow(x) },
		slope: func(x float64) float64 { return normalBelow(x) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi) },
	},
	"Gelu by tanh": {
		at: func(x float64) float64 { return 0.5 * x * (1 + math.Tanh(geluInner(x))) },
		slope: func(x float64) float64 {
			t := math.Tanh(geluInner(x))
			return 0.5*(1+t) + 0.5*x*(1-t*t)*math.Sqrt(2/math.Pi)*(1+3*0.044715*x*x)
		},
	},
	"Softplus": {at: softplus, slope: sigmoid},
	"Softsign": {
		at:    func(x float64) float64 { return x / (1 + math.Abs(x)) },
		slope: func(x float64) float64 { return 1 / ((1 + math.Abs(x)) * (1 + math.Abs(x))) },
	},
	"Mish": {
		at: func(x float64) float64 { return x * math.Tanh(softplus(x)) },
		slope: func(x float64) float64 {
			t := math.Tanh(softplus(x))
			return t + x*(1-t*t)*sigmoid(x)
		},
	},
	// The two halves of PRelu, which multiply: they have no slope of their own.
	"is positive":     {at: positive, slope: flat},
	"is not positive": {at: func(x float64) float64 { return 1 - positive(x) }, slope: flat},
	// What may be subtracted from x before its exponential is taken.
	"finite or 0": {at: func(x float64) float64 {
		if x-x != 0 {
			return 0
		}
		return x
	}, slope: flat},
	"HardSwish": {
		at: func(x float64) float64 { return x * max(0, min(1, x/6+0.5)) },
		slope: func(x float64) float64 {
			switch {
			case x <= -3:
				return 0
			case x < 3:
				return x/3 + 0.5
			}
			return 1
		},
	},
}

// pieces is below for x up to 0 and above elsewhere, NaN included.
func pieces(x, below, above float64) float64 {
	if x <= 0 {
		return below
	}
	return above
}

// softplus is log(1 + exp(x)) without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// normalBelow is the probability of a normal variable to be below x.
func normalBelow(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

func geluInner(x float64) float64 { return math.Sqrt(2/math.Pi) * (x + 0.044715*x*x*x) }
