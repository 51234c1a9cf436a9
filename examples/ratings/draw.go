package main

import (
	"fmt"
	"image/color"
	"io"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gorgonia.org/gather/internal/examples/picture"
	"gorgonia.org/gather/internal/examples/ratings"
)

// draw draws the error of each epoch, and a map of the films if they have titles.
func (t *trainer) draw(stdout io.Writer, errorPath, filmsPath string) error {
	if t.progress.epoch() > 0 { // before there is nothing to draw
		if err := t.drawError(errorPath); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "\npictures\n  %s\n", errorPath)
	}
	films, err := t.films(mapFilms, 2)
	if err != nil || len(films) < 3 {
		return err
	}
	if err := drawFilms(filmsPath, films); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "  %s\n", filmsPath)
	return err
}

// drawError draws the history, with the biases as a level to get below.
func (t *trainer) drawError(path string) error {
	p := picture.New("Predicted ratings of films",
		"RMSE, lower is better: of training ratings during the epoch, of validation ratings after it.",
		"epoch", "RMSE, in units of a rating")
	epochs := t.progress.epoch()
	var learnt, valid plotter.XYs
	for e := range epochs {
		learnt = append(learnt, plotter.XY{X: float64(e + 1), Y: t.progress.history[2*e]})
		valid = append(valid, plotter.XY{X: float64(e + 1), Y: t.progress.history[2*e+1]})
	}
	last := float64(max(epochs, 2))
	bias := ratings.NewBaselines(t.data).BiasedValid
	for _, curve := range []struct {
		label  string
		points plotter.XYs
		color  color.Color
		dashes []vg.Length
	}{
		{"training ratings", learnt, picture.Blue, nil},
		{"validation ratings", valid, picture.Orange, nil},
		{"validation ratings, by biases of user and film", plotter.XYs{{X: 1, Y: bias}, {X: last, Y: bias}}, picture.Grey, []vg.Length{vg.Points(5), vg.Points(4)}},
	} {
		line, err := plotter.NewLine(curve.points)
		if err != nil {
			return errors.Wrap(err, "drawing the error")
		}
		line.Color, line.Width, line.Dashes = curve.color, vg.Points(2), curve.dashes
		p.Add(line)
		p.Explain(curve.label, line)
		if curve.dashes == nil {
			// After a single epoch there is no line yet.
			p.Add(&plotter.Scatter{XYs: curve.points, GlyphStyle: draw.GlyphStyle{Color: curve.color, Radius: 2.5, Shape: draw.CircleGlyph{}}})
		}
	}
	p.X.Min, p.X.Max = 1, last
	margin := 0.05 * (p.Y.Max - p.Y.Min)
	p.Y.Min, p.Y.Max = p.Y.Min-margin, p.Y.Max+margin
	p.X.Tick.Marker = picture.Ticks{Whole: true}
	return p.Save(7*vg.Inch, 4.5*vg.Inch, path)
}

const (
	mapWidth, mapHeight = 9 * vg.Inch, 7 * vg.Inch
	mapFilms            = 150 // on the map; those with room for it have their titles
	longestTitle        = 28
)

// drawFilms draws where training has put the best-known films, seen from the two
// directions in which they differ most.
func drawFilms(path string, films []film) error {
	points, share, err := project(films)
	if err != nil {
		return err
	}
	p := picture.New("Films that the same people like are near each other",
		fmt.Sprintf("The %d films with most ratings. A title is shown where there is room for it.", len(films)),
		fmt.Sprintf("first principal component (%.0f %% of the variance)", 100*share[0]),
		fmt.Sprintf("second principal component (%.0f %%)", 100*share[1]))
	p.Add(&plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: picture.Blue, Radius: 2, Shape: draw.CircleGlyph{}}})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = plotter.XYRange(points)
	// A title begins beside its point, so there is more room needed on the right.
	width, height := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = p.X.Min-0.03*width, p.X.Max+0.2*width, p.Y.Min-0.04*height, p.Y.Max+0.04*height

	area := p.Area(mapWidth, mapHeight)
	style := picture.Text(9, color.Black)
	style.XAlign = draw.XLeft
	labels := &plotter.Labels{}
	const radius, gap = 2, 4 // of a point, and between it and its title
	places := make([]vg.Point, len(films))
	var taken []vg.Rectangle
	for i, at := range points {
		places[i] = vg.Point{
			X: vg.Length((at.X-p.X.Min)/(p.X.Max-p.X.Min)) * area.X,
			Y: vg.Length((at.Y-p.Y.Min)/(p.Y.Max-p.Y.Min)) * area.Y,
		}
		taken = append(taken, around(places[i], radius, radius, radius))
	}
	for i, f := range films {
		title := drawable(f.title)
		box := around(vg.Point{X: places[i].X + gap, Y: places[i].Y}, 0, style.Width(title)+3, 5)
		if title == "" || box.Max.X > area.X || overlaps(box, taken) {
			continue
		}
		taken = append(taken, box)
		labels.XYs = append(labels.XYs, points[i])
		labels.Labels = append(labels.Labels, title)
		labels.TextStyle = append(labels.TextStyle, style)
	}
	labels.Offset = vg.Point{X: gap}
	p.Add(labels)
	return p.Save(mapWidth, mapHeight, path)
}

// around is a box from left of a place to right of it, and as far above it as below.
func around(place vg.Point, left, right, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: place.X - left, Y: place.Y - height}, Max: vg.Point{X: place.X + right, Y: place.Y + height}}
}

func overlaps(box vg.Rectangle, taken []vg.Rectangle) bool {
	for _, other := range taken {
		if box.Min.X < other.Max.X && other.Min.X < box.Max.X && box.Min.Y < other.Max.Y && other.Min.Y < box.Max.Y {
			return true
		}
	}
	return false
}

// drawable is a title as the map can show it.
func drawable(title string) string {
	var runes []rune
	for _, r := range title {
		if picture.CanDraw(r) {
			runes = append(runes, r)
		}
	}
	if len(runes) > longestTitle {
		return string(runes[:longestTitle-1]) + "…"
	}
	return string(runes)
}

// project returns the films in the plane of their first two principal components,
// and the share of the variance along each.
func project(films []film) (plotter.XYs, []float64, error) {
	columns := len(films[0].vector)
	data := mat.NewDense(len(films), columns, nil)
	for i, f := range films {
		for c, x := range f.vector {
			data.Set(i, c, float64(x))
		}
	}
	var pc stat.PC
	if !pc.PrincipalComponents(data, nil) {
		return nil, nil, errors.New("the films have no principal components")
	}
	var directions, projected mat.Dense
	pc.VectorsTo(&directions)
	projected.Mul(data, directions.Slice(0, columns, 0, 2))
	total := 0.0
	variances := pc.VarsTo(nil)
	for _, v := range variances {
		total += v
	}
	points := make(plotter.XYs, len(films))
	for i := range points {
		points[i] = plotter.XY{X: projected.At(i, 0), Y: projected.At(i, 1)}
	}
	return points, []float64{variances[0] / total, variances[1] / total}, nil
}
