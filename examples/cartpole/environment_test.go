package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func assertState(t *testing.T, want, got state) {
	t.Helper()
	assert.InDelta(t, want.x, got.x, 1e-9, "x")
	assert.InDelta(t, want.speed, got.speed, 1e-9, "speed")
	assert.InDelta(t, want.angle, got.angle, 1e-9, "angle")
	assert.InDelta(t, want.spin, got.spin, 1e-9, "spin")
}

// The figures were computed by hand from the equations. At rest and upright
//
//	u = 10/1.1 = 100/11,  θ" = -u / (0.5·(4/3 - 0.1/1.1)) = -600/41,
//	x" = u + 0.05·(600/41)/1.1 = 400/41.
func TestPushByHand(t *testing.T) {
	once := state{speed: 8.0 / 41, spin: -12.0 / 41}
	cases := []struct {
		name   string
		from   state
		action int
		to     state
	}{
		{"to the right the pole leans to the left", state{}, right, once},
		{"to the left it is the other way round", state{}, left, state{speed: -8.0 / 41, spin: 12.0 / 41}},
		{"places move with the old speeds, not the new", state{x: 1, speed: 2, angle: 0, spin: 0}, right,
			state{x: 1.04, speed: 2 + 8.0/41, spin: -12.0 / 41}},
		// u = (10 + 0.05·4·1)/1.1 = 102/11, θ" = 9.8/(0.5·4/3) = 14.7, x" = u.
		{"level and spinning: the pole falls freely, and its weight no longer drags the cart",
			state{angle: math.Pi / 2, spin: 2}, right,
			state{speed: 0.02 * 102 / 11, angle: math.Pi/2 + 0.04, spin: 2 + 0.02*14.7}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { assertState(t, c.to, c.from.push(c.action)) })
	}
}

// The equations of motion before they were solved for the accelerations: of the
// momentum of cart and pole, and of the rotation of the pole round its hinge.
func TestPushObeysTheLawsOfMotion(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		s := state{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), 3 * rng.NormFloat64()}
		after := s.push(right)
		x, turn := (after.speed-s.speed)/tau, (after.spin-s.spin)/tau
		sin, cos := math.Sin(s.angle), math.Cos(s.angle)

		momentum := (cartMass+poleMass)*x + poleMass*halfLength*(turn*cos-s.spin*s.spin*sin)
		assert.InDelta(t, force, momentum, 1e-9)
		assert.InDelta(t, gravity*sin, 4.0/3*halfLength*turn+x*cos, 1e-9)

		mirrored := state{-s.x, -s.speed, -s.angle, -s.spin}.push(left)
		assertState(t, state{-mirrored.x, -mirrored.speed, -mirrored.angle, -mirrored.spin}, after)
	}
}

func TestFallen(t *testing.T) {
	const degree = math.Pi / 180
	cases := []struct {
		name string
		s    state
		want bool
	}{
		{"upright in the middle, however fast", state{speed: 99, spin: -99}, false},
		{"just on the track", state{x: -2.399}, false},
		{"off the track on the left", state{x: -2.401}, true},
		{"off the track on the right", state{x: 2.401}, true},
		{"leaning, just so", state{angle: 11.99 * degree}, false},
		{"leaning too far to the left", state{angle: -12.01 * degree}, true},
		{"leaning too far to the right", state{angle: 12.01 * degree}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, c.s.fallen()) })
	}
}

func TestStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	least, most := 1.0, -1.0
	for range 1000 {
		s := start(rng)
		for _, v := range []float64{s.x, s.speed, s.angle, s.spin} {
			least, most = min(least, v), max(most, v)
		}
	}
	assert.InDelta(t, -0.05, least, 0.001)
	assert.InDelta(t, 0.05, most, 0.001)
}
