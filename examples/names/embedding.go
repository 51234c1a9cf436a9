package main

import (
	"fmt"
	"image/color"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pkg/errors"
	"golang.org/x/text/unicode/norm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gorgonia.org/tensor"

	"gorgonia.org/gather/examples/internal/picture"
)

// kinds are the groups a reader will look for on the map. The model knows
// nothing of them.
var kinds = []struct {
	label string
	color color.Color
	has   func(r rune) bool
}{
	{"vowels", picture.Orange, isVowel},
	{"consonants", picture.Blue, func(r rune) bool { return isEuropean(r) && !isVowel(r) }},
	{"letters", picture.Blue, func(r rune) bool { return unicode.In(r, unicode.L, unicode.M) && !isEuropean(r) }},
	{"signs", picture.Green, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) }},
}

// isEuropean tells whether isVowel knows the letter's script.
func isEuropean(r rune) bool { return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) }

// isVowel looks at the letter below the accents.
func isVowel(r rune) bool {
	for _, base := range norm.NFD.String(string(r)) {
		return strings.ContainsRune("aeiouyæœøəıαεηιουωаеиоуыэюяієї", base)
	}
	return false
}

// label is how a character is written on the map.
func label(r rune) string {
	switch {
	case r == end:
		return "end"
	case r == ' ':
		return "space"
	case r == '-':
		return "hyphen"
	case r == '\'':
		return "apostrophe"
	case !picture.CanDraw(r):
		return fmt.Sprintf("%04X", r)
	}
	return string(r)
}

const (
	mapWidth, mapHeight = 7 * vg.Inch, 6 * vg.Inch
	fontSize            = vg.Length(15)
)

// plotEmbedding draws each character where training has put it, seen from the
// two directions in which the characters differ most. In a crowd some are
// written beside their place, as far away as it takes to read them.
func plotEmbedding(path string, embedding *tensor.Dense, symbols []rune) error {
	points, share, err := project(embedding)
	if err != nil {
		return err
	}
	p := picture.New("Where training put the characters (crowds moved apart)",
		fmt.Sprintf("first principal component (%.0f %% of the variance)", 100*share[0]),
		fmt.Sprintf("second principal component (%.0f %%)", 100*share[1]))
	shown := spread(points, labelSizes(points, symbols))
	for _, k := range kinds {
		labels := &plotter.Labels{}
		for i, r := range symbols {
			if k.has(r) {
				labels.XYs = append(labels.XYs, shown[i])
				labels.Labels = append(labels.Labels, label(r))
				labels.TextStyle = append(labels.TextStyle, picture.Text(fontSize, k.color))
			}
		}
		if len(labels.Labels) > 0 {
			p.Add(labels)
			p.Legend.Add(k.label, picture.Swatch{Color: k.color})
		}
	}
	width, height := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
	p.X.Min, p.X.Max = p.X.Min-0.05*width, p.X.Max+0.05*width // the halves of the outermost labels
	p.Y.Max += 0.2 * height                                   // the legend
	return picture.Save(p, mapWidth, mapHeight, path)
}

// labelSizes returns the width and height of each label in the units of the
// plot, in which the points fill most of the map.
func labelSizes(points plotter.XYs, symbols []rune) plotter.XYs {
	left, right, bottom, top := plotter.XYRange(points)
	size := make(plotter.XYs, len(points))
	for i, r := range symbols {
		letters := float64(utf8.RuneCountInString(label(r)))
		size[i] = plotter.XY{
			X: 0.6 * letters * float64(fontSize/mapWidth) / 0.8 * (right - left),
			Y: 1.0 * float64(fontSize/mapHeight) / 0.6 * (top - bottom),
		}
	}
	return size
}

// project returns the rows of embedding in the plane of their first two
// principal components, and the share of the variance along each.
func project(embedding *tensor.Dense) (plotter.XYs, []float64, error) {
	rows, columns := embedding.Shape()[0], embedding.Shape()[1]
	data := mat.NewDense(rows, columns, nil)
	for i, x := range embedding.Float32s() {
		data.Set(i/columns, i%columns, float64(x))
	}
	var pc stat.PC
	if !pc.PrincipalComponents(data, nil) {
		return nil, nil, errors.New("the embeddings have no principal components")
	}
	var directions, projected mat.Dense
	pc.VectorsTo(&directions)
	projected.Mul(data, directions.Slice(0, columns, 0, 2))

	var total float64
	variances := pc.VarsTo(nil)
	for _, v := range variances {
		total += v
	}
	points := make(plotter.XYs, rows)
	for i := range points {
		points[i] = plotter.XY{X: projected.At(i, 0), Y: projected.At(i, 1)}
	}
	return points, []float64{variances[0] / total, variances[1] / total}, nil
}
