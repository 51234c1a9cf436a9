package main

import (
	"fmt"
	"image/color"
	"strings"
	"unicode"

	"github.com/pkg/errors"
	"golang.org/x/text/unicode/norm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gorgonia.org/tensor"

	"gorgonia.org/gather/internal/examples/picture"
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
	{"letters of other scripts", picture.Grey, func(r rune) bool { return unicode.In(r, unicode.L, unicode.M) && !isEuropean(r) }},
	{"signs", picture.Green, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) }},
}

// isEuropean tells whether isVowel knows the letter's script.
func isEuropean(r rune) bool { return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) }

// isVowel judges by the letter below the accents.
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
