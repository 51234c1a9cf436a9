package main

import (
	"fmt"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gorgonia.org/tensor"

	"gorgonia.org/gather/internal/examples/picture"
)

const (
	mapWidth, mapHeight = 7 * vg.Inch, 6 * vg.Inch
	fontSize            = vg.Length(15)
)

// plotEmbedding draws each character where training has put it, seen from the
// two directions in which the characters differ most.
func plotEmbedding(path string, embedding *tensor.Dense, symbols []rune) error {
	points, share, err := project(embedding)
	if err != nil {
		return err
	}
	p := picture.New("Where training has put each character",
		"The model was not told which are vowels. In a crowd, characters are moved apart.",
		fmt.Sprintf("first principal component (%.0f %% of the variance)", 100*share[0]),
		fmt.Sprintf("second principal component (%.0f %%)", 100*share[1]))
	labels := &plotter.Labels{}
	for _, k := range kinds {
		found := false
		for i, r := range symbols {
			if k.has(r) {
				found = true
				labels.XYs = append(labels.XYs, points[i])
				labels.Labels = append(labels.Labels, label(r))
				labels.TextStyle = append(labels.TextStyle, picture.Text(fontSize, k.color))
			}
		}
		if found {
			p.Explain(k.label, picture.Glyphs{{Color: k.color, Radius: 4, Shape: draw.BoxGlyph{}}})
		}
	}
	p.Arrange(labels, mapWidth, mapHeight)
	p.Add(labels)
	return p.Save(mapWidth, mapHeight, path)
}
