package main

import (
	"fmt"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gorgonia.org/tensor"

	"gorgonia.org/gather/examples/internal/picture"
)

const (
	mapWidth, mapHeight = 7 * vg.Inch, 6 * vg.Inch
	fontSize            = vg.Length(15)
	smallest            = vg.Length(5) // nobody reads less
	between             = vg.Length(3) // from one label to the next
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
	arrange(p, labels)
	p.Add(labels)
	return p.Save(mapWidth, mapHeight, path)
}

// arrange gives the axes their ranges and moves the labels, as little as it
// takes, until all can be read and lie within the axes. Where there is no room
// for so many, it writes them smaller.
func arrange(p *picture.Picture, labels *plotter.Labels) {
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = plotter.XYRange(labels.XYs)
	marginX, marginY := 0.06*(p.X.Max-p.X.Min), 0.06*(p.Y.Max-p.Y.Min)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = p.X.Min-marginX, p.X.Max+marginX, p.Y.Min-marginY, p.Y.Max+marginY

	// From the units of the axes to the points in which texts are measured, and
	// back.
	area := p.Area(mapWidth, mapHeight)
	unitX, unitY := (p.X.Max-p.X.Min)/float64(area.X), (p.Y.Max-p.Y.Min)/float64(area.Y)
	points, size := make(plotter.XYs, len(labels.XYs)), make(plotter.XYs, len(labels.XYs))
	for i, at := range labels.XYs {
		points[i] = plotter.XY{X: (at.X - p.X.Min) / unitX, Y: (at.Y - p.Y.Min) / unitY}
	}
	for font := fontSize; ; font *= 0.8 {
		for i, text := range labels.Labels {
			style := &labels.TextStyle[i]
			style.Font.Size = font
			size[i] = plotter.XY{X: float64(style.Width(text) + between), Y: float64(style.Height(text))}
		}
		shown, readable := spread(points, size, plotter.XY{X: float64(area.X), Y: float64(area.Y)})
		if !readable && font > smallest {
			continue
		}
		for i, at := range shown {
			labels.XYs[i] = plotter.XY{X: p.X.Min + at.X*unitX, Y: p.Y.Min + at.Y*unitY}
		}
		return
	}
}
