package picture

import (
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

const (
	smallest = vg.Length(5) // nobody reads less
	between  = vg.Length(3) // from one label to the next
)

// Arrange gives the axes their ranges and moves the labels, as little as it takes,
// until all can be read and lie within the axes of a picture of this size. Where
// there is no room for so many, it writes them smaller.
func (p *Picture) Arrange(labels *plotter.Labels, width, height vg.Length) {
	if len(labels.XYs) == 0 {
		return
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = plotter.XYRange(labels.XYs)
	marginX, marginY := 0.06*(p.X.Max-p.X.Min), 0.06*(p.Y.Max-p.Y.Min)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = p.X.Min-marginX, p.X.Max+marginX, p.Y.Min-marginY, p.Y.Max+marginY

	// From the units of the axes to the points in which texts are measured, and
	// back.
	area := p.Area(width, height)
	unitX, unitY := (p.X.Max-p.X.Min)/float64(area.X), (p.Y.Max-p.Y.Min)/float64(area.Y)
	points, size := make(plotter.XYs, len(labels.XYs)), make(plotter.XYs, len(labels.XYs))
	for i, at := range labels.XYs {
		points[i] = plotter.XY{X: (at.X - p.X.Min) / unitX, Y: (at.Y - p.Y.Min) / unitY}
	}
	for font := labels.TextStyle[0].Font.Size; ; font *= 0.8 {
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
