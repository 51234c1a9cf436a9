package main

import (
	"image/color"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/graph/layout"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gorgonia.org/gather/examples/internal/picture"
)

const radius = vg.Length(10) // of a member on the drawing

// camps are the factions as they are drawn.
var camps = [factions]struct {
	label string
	color color.Color
}{
	withInstructor: {"sides with member 1, the instructor", picture.Blue},
	withPresident:  {"sides with member 34, the president", picture.Orange},
}

// drawClub draws the club coloured by the guessed factions. The two members
// whose factions were shown are squares, a wrong guess has a black rim.
func drawClub(path string, guess []int) error {
	p := picture.Bare("Zachary's karate club, as a graph network sees it")
	places := arrange(friendships())
	for _, f := range friendships() {
		line, err := plotter.NewLine(plotter.XYs{places[f.a-1], places[f.b-1]})
		if err != nil {
			return errors.Wrap(err, "drawing the club")
		}
		line.Color = color.Gray{0xbb}
		p.Add(line)
	}

	side := sides()
	wrong := mark(places, color.Black, radius+vg.Points(3), func(m int) bool { return guess[m] != side[m] })
	p.Add(wrong)
	for faction, camp := range camps {
		spots := mark(places, camp.color, radius, func(m int) bool { return guess[m] == faction })
		p.Add(spots)
		p.Legend.Add(camp.label, spots)
	}
	p.Legend.Add("black rim: a wrong guess", wrong)
	p.Legend.Add("squares: the two whose factions were known")

	numbers := &plotter.Labels{XYs: places}
	for m := range places {
		numbers.Labels = append(numbers.Labels, strconv.Itoa(m+1))
		numbers.TextStyle = append(numbers.TextStyle, picture.Text(10, color.White))
	}
	p.Add(numbers)
	p.Y.Max += 0.25 * (p.Y.Max - p.Y.Min) // room for the legend
	return picture.Save(p, 7*vg.Inch, 6.5*vg.Inch, path)
}

// mark makes a spot for each member that which chooses.
func mark(places plotter.XYs, c color.Color, size vg.Length, which func(m int) bool) *plotter.Scatter {
	var chosen []int
	spots := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(5), Shape: draw.CircleGlyph{}}}
	for m, place := range places {
		if which(m) {
			chosen = append(chosen, m+1)
			spots.XYs = append(spots.XYs, place)
		}
	}
	spots.GlyphStyleFunc = func(i int) draw.GlyphStyle {
		if slices.Contains(known, chosen[i]) {
			return draw.GlyphStyle{Color: c, Radius: size, Shape: draw.BoxGlyph{}}
		}
		return draw.GlyphStyle{Color: c, Radius: size, Shape: draw.CircleGlyph{}}
	}
	return spots
}

// arrange finds a place for each member, such that friends are near each other
// and the others are not (P. Eades, "A Heuristic for Graph Drawing", 1984).
func arrange(club []friendship) plotter.XYs {
	// A graph kept as a matrix lists its nodes in order; one kept as a map would
	// list them, and so place them, differently in each run.
	g := simple.NewUndirectedMatrix(members, 0, 0, 0)
	for _, f := range club {
		g.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(f.a - 1), T: simple.Node(f.b - 1), W: 1})
	}
	// Longer strides throw the two with most friends out of the picture.
	eades := layout.EadesR2{Updates: 2000, Repulsion: 3, Rate: 0.01, Theta: 0.2, Src: rand.NewPCG(1, 0)}
	optimizer := layout.NewOptimizerR2(g, eades.Update)
	for optimizer.Update() {
	}
	places := make(plotter.XYs, members)
	for m := range places {
		place := optimizer.Coord2(int64(m))
		places[m] = plotter.XY{X: place.X, Y: place.Y}
	}
	return places
}
