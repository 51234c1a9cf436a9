package picture

import (
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

func TestSave(t *testing.T) {
	p := New("title", "x", "y")
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 2}})
	require.NoError(t, err)
	line.Color = Orange
	p.Add(line)
	path := filepath.Join(t.TempDir(), "line.png")
	require.NoError(t, Save(p, 4*vg.Inch, 3*vg.Inch, path))

	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	assert.Equal(t, 600, img.Bounds().Dx())
	assert.Equal(t, 450, img.Bounds().Dy())

	drawn := 0
	for y := range 450 {
		for x := range 600 {
			if color.RGBAModel.Convert(img.At(x, y)) == Orange {
				drawn++
			}
		}
	}
	assert.Greater(t, drawn, 300, "pixels of the line: it crosses most of the picture")
}

func TestSaveFails(t *testing.T) {
	err := Save(New("title", "x", "y"), vg.Inch, vg.Inch, filepath.Join(t.TempDir(), "missing", "p.png"))
	assert.ErrorContains(t, err, "cannot save a picture")
}
