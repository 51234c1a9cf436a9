package main

import (
	"math"
	"math/rand/v2"
)

// The cart and its pole, in metres, kilograms, seconds and newtons.
const (
	gravity    = 9.8
	cartMass   = 1.0
	poleMass   = 0.1
	halfLength = 0.5  // from the hinge to the pole's centre of mass
	force      = 10.0 // of each push
	tau        = 0.02 // from one push to the next

	farthest = 2.4                // the track ends here, on both sides
	steepest = 12 * math.Pi / 180 // a pole that leans more has fallen

	longest = 200 // pushes, then an episode ends without a fall
)

// state is where the cart and the pole are, and where they are going.
type state struct {
	x, speed    float64 // of the cart, positive to the right
	angle, spin float64 // of the pole, 0 when upright, positive to the right
}

// The actions.
const (
	left = iota
	right
	actions // how many there are
)

// start is a cart in the middle with its pole upright, but for a little noise.
func start(rng *rand.Rand) state {
	noise := func() float64 { return 0.1*rng.Float64() - 0.05 }
	return state{noise(), noise(), noise(), noise()}
}

// push is the state one push later, by Euler's method. With m the pole's mass,
// M the mass of both, l the half length, F the push, x the place of the cart
// and θ the angle of the pole,
//
//	θ" = (g sin θ - cos θ · u) / (l · (4/3 - m cos²θ / M))
//	x" = u - m l θ" cos θ / M
//	u  = (F + m l θ'² sin θ) / M
//
// These are the equations of A. Barto, R. Sutton and C. Anderson, "Neuronlike
// Adaptive Elements That Can Solve Difficult Learning Control Problems", 1983,
// without the friction, which the usual form of the problem leaves out.
func (s state) push(action int) state {
	f := force
	if action == left {
		f = -force
	}
	const both = cartMass + poleMass
	sin, cos := math.Sincos(s.angle)
	u := (f + poleMass*halfLength*s.spin*s.spin*sin) / both
	turn := (gravity*sin - cos*u) / (halfLength * (4.0/3 - poleMass*cos*cos/both))
	return state{
		x:     s.x + tau*s.speed,
		speed: s.speed + tau*(u-poleMass*halfLength*turn*cos/both),
		angle: s.angle + tau*s.spin,
		spin:  s.spin + tau*turn,
	}
}

// fallen is how an episode ends before its time.
func (s state) fallen() bool {
	return math.Abs(s.x) > farthest || math.Abs(s.angle) > steepest
}

// inputs is the number of features.
const inputs = 4

// features is what a network sees of the state: numbers that seldom leave the
// range from -1 to 1, as networks like them.
func (s state) features() [inputs]float64 {
	return [inputs]float64{s.x / farthest, s.speed / 2, s.angle / steepest, s.spin / 2}
}
