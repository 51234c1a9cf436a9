package main

import (
	"fmt"
	"image/color"
	"strconv"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gorgonia.org/gather/internal/examples/picture"
)

const (
	radius = vg.Length(10) // of a member
	rim    = vg.Length(3)  // around a wrong guess
)

// camps are the factions as they are drawn. The two colours differ in lightness,
// too, and so do the numbers written on them.
var camps = [factions]struct {
	label         string
	color, number color.Color
}{
	withInstructor: {"with instructor 1", picture.Blue, color.White},
	withPresident:  {"with president 34", picture.Amber, color.Black},
}

// drawClub draws the club coloured by the guessed factions. The two members
// whose factions were shown are squares, a wrong guess has a black rim.
func drawClub(path string, guess []int) error {
	p := picture.Bare("Zachary's karate club, as a graph network sees it",
		fmt.Sprintf("Told the sides of two members and who is friends with whom, it guesses %d of %d others right.",
			count(guess, sides()), members-len(known)))
	explain(p)
	places := arrange(friendships())
	for i, f := range friendships() {
		line, err := plotter.NewLine(plotter.XYs{places[f.a-1], places[f.b-1]})
		if err != nil {
			return errors.Wrap(err, "drawing the club")
		}
		line.Color = color.Gray{0xaa}
		p.Add(line)
		if i == 0 {
			p.Explain("friends", line)
		}
	}
	for m, place := range places {
		p.Add(member(place, m+1, guess[m], sides()[m]))
		p.Add(number(place, m+1, guess[m]))
	}
	return p.Save(7*vg.Inch, 6.5*vg.Inch, path)
}

// explain is the legend of the members.
func explain(p *picture.Picture) {
	const size = vg.Length(5)
	for _, camp := range camps {
		p.Explain(camp.label, picture.Glyphs{{Color: camp.color, Radius: size, Shape: draw.CircleGlyph{}}})
	}
	p.Explain("known side", picture.Glyphs{{Color: picture.Grey, Radius: size, Shape: draw.BoxGlyph{}}})
	p.Explain("wrong guess", picture.Glyphs{
		{Color: color.Black, Radius: size + rim/2, Shape: draw.CircleGlyph{}},
		{Color: color.White, Radius: size - rim/2, Shape: draw.CircleGlyph{}},
	})
}

// member is the mark of a member, below its number.
func member(place plotter.XY, number, guess, side int) *plotter.Scatter {
	var shape draw.GlyphDrawer = draw.CircleGlyph{}
	if number == instructor || number == president {
		shape = draw.BoxGlyph{}
	}
	mark := draw.GlyphStyle{Color: camps[guess].color, Radius: radius, Shape: shape}
	if guess == side {
		return &plotter.Scatter{XYs: plotter.XYs{place}, GlyphStyle: mark}
	}
	below := draw.GlyphStyle{Color: color.Black, Radius: radius + rim, Shape: shape}
	return &plotter.Scatter{
		XYs:            plotter.XYs{place, place},
		GlyphStyleFunc: func(i int) draw.GlyphStyle { return []draw.GlyphStyle{below, mark}[i] },
	}
}

// number is the number of a member, a hair above the middle: digits do not reach
// below their line as other characters do.
func number(place plotter.XY, number, guess int) *plotter.Labels {
	return &plotter.Labels{
		XYs:       plotter.XYs{place},
		Labels:    []string{strconv.Itoa(number)},
		TextStyle: []draw.TextStyle{picture.Text(10, camps[guess].number)},
		Offset:    vg.Point{Y: 1},
	}
}
