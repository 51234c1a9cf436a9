package picture

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func TestSave(t *testing.T) {
	p := New("title", "remark", "x", "y")
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 2}})
	require.NoError(t, err)
	line.Color = Orange
	p.Add(line)
	path := filepath.Join(t.TempDir(), "line.png")
	require.NoError(t, p.Save(4*vg.Inch, 3*vg.Inch, path))

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
	err := New("title", "remark", "x", "y").Save(vg.Inch, vg.Inch, filepath.Join(t.TempDir(), "missing", "p.png"))
	assert.ErrorContains(t, err, "cannot save a picture")
}

// In few colours each stays what it is, a rare one too; a photograph is left
// alone.
func TestPaletted(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 40, 40))
	for i := range 1600 {
		img.SetRGBA(i%40, i/40, color.RGBA{0xff, 0xff, 0xff, 0xff})
		if i%3 == 0 {
			img.SetRGBA(i%40, i/40, Blue)
		}
	}
	img.SetRGBA(7, 5, Orange)
	img.SetRGBA(8, 5, color.RGBA{Blue.R, Blue.G, Blue.B + 2, 0xff}) // who can tell?
	p, ok := paletted(img).(*image.Paletted)
	require.True(t, ok)
	assert.Len(t, p.Palette, 3)
	img.SetRGBA(8, 5, Blue)
	for i := range 1600 {
		require.Equal(t, img.At(i%40, i/40), p.At(i%40, i/40), "pixel %d", i)
	}
	for i := range 1600 {
		img.SetRGBA(i%40, i/40, color.RGBA{uint8(i * 16), uint8(i / 16 * 16), uint8(i / 256 * 16), 0xff})
	}
	assert.Same(t, img, paletted(img))
}

// A header that is too long is continued below, and leaves the plot less room.
func TestHeader(t *testing.T) {
	const width, height = 3 * vg.Inch, 3 * vg.Inch
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 2}})
	require.NoError(t, err)
	room := func(p *Picture) float64 { return p.Area(width, height).Y.Points() }
	short := New("headline", "remark", "x", "y")
	long := New("headline", "a remark of many words, more of them than the picture is wide", "x", "y")
	assert.Less(t, room(long), room(short)-10)
	before := room(short)
	short.Explain("one", line)
	oneRow := room(short)
	assert.Less(t, oneRow, before-10)
	short.Explain("two", Glyphs{{Color: Blue, Radius: 4, Shape: draw.BoxGlyph{}}})
	assert.Equal(t, oneRow, room(short), "beside the first")
	short.Explain("a third that has no room in the row of the others", line)
	assert.Less(t, room(short), oneRow-10)
}

func TestWrap(t *testing.T) {
	fits := func(s string) bool { return len(s) <= 10 }
	assert.Equal(t, []string{"one two", "three four", "incomprehensible", "five"}, wrap("one two three four incomprehensible five", fits))
	assert.Empty(t, wrap("", fits))
}
