package main

import (
	"slices"

	"gorgonia.org/gather/internal/examples/picture"
)

// plotLoss draws the history, with the baseline as a level to get below.
func plotLoss(path string, h *history, baseline float64) error {
	p := picture.New("Guessing the next character of a name",
		"Lower is better. The loss on training names is the mean over the epoch, the other is taken after it.",
		"epoch", "loss, bits per character")
	return p.Curves(path,
		picture.Curve{Label: "training names", Values: h.train, Color: picture.Blue},
		picture.Curve{Label: "held-out names", Values: h.held, Color: picture.Orange},
		// At least two: one point is no line.
		picture.Curve{Label: "held-out names, by counting pairs", Values: slices.Repeat([]float64{baseline}, max(len(h.train), 2)), Color: picture.Grey, Level: true})
}
