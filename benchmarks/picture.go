package main

import (
	"bytes"
	"image/color"
	"io"
	"os"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// colours can be told apart by readers who see red and green alike, too
// (M. Okabe and K. Ito, Color Universal Design, 2008).
var colours = map[string]color.Color{
	Ours:        color.RGBA{0x00, 0x72, 0xb2, 0xff},
	ONNXRuntime: color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	PyTorch:     color.RGBA{0x00, 0x9e, 0x73, 0xff},
	OpenVINO:    color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	ByIndices:   color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	Gonnx:       color.RGBA{0x66, 0x66, 0x66, 0xff},
}

var grid = color.Gray{0xe0}

// sans is drawn by plot's own copy of the Liberation fonts, so that the picture
// looks alike on machines with other fonts, or none.
func sans(points vg.Length, x, y float64) draw.TextStyle {
	return draw.TextStyle{
		Color: color.Black, Handler: plot.DefaultTextHandler,
		Font:   font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, points),
		XAlign: draw.XAlignment(x), YAlign: draw.YAlignment(y),
	}
}

// picture is something that can be drawn in any format.
type picture struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

// save writes file, which ends in .svg, and the same as PNG.
func (p picture) save(file string) error {
	vector := vgsvg.New(p.width, p.height)
	p.draw(draw.NewCanvas(vector, p.width, p.height))
	var text bytes.Buffer
	if _, err := vector.WriteTo(&text); err != nil {
		return errors.Wrap(err, "picture")
	}
	// A browser that lacks the font would take one with serifs.
	wide := strings.NewReplacer("font-family:Liberation Sans", "font-family:Liberation Sans,Arial,Helvetica,sans-serif")
	if err := writePicture(file, strings.NewReader(wide.Replace(text.String())).WriteTo); err != nil {
		return err
	}
	pixels := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(130))}
	p.draw(draw.NewCanvas(pixels, p.width, p.height))
	return writePicture(strings.TrimSuffix(file, ".svg")+".png", pixels.WriteTo)
}

func writePicture(file string, write func(io.Writer) (int64, error)) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return errors.Wrap(err, "picture")
	}
	defer func() {
		// The last bytes may be written, and may fail, only here.
		if e := f.Close(); err == nil {
			err = errors.Wrap(e, "picture")
		}
	}()
	_, err = write(f)
	return errors.Wrap(err, "picture")
}
