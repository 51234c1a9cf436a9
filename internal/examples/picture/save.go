package picture

import (
	"image/png"
	"os"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"
)

// margin keeps the texts off the edge of the picture.
const margin = vg.Length(12)

// below draws the header and returns where the plot belongs.
func (p *Picture) below(c draw.Canvas) draw.Canvas {
	return p.drawHeader(draw.Crop(c, margin, -margin, margin, -margin))
}

// Area is the size of what lies between the axes in a picture of this width and
// height: for those who have to know how large a text is in the units of the
// axes. The axes need their ranges first, which decide how wide the numbers
// beside them are.
func (p *Picture) Area(width, height vg.Length) vg.Point {
	var nowhere recorder.Canvas
	return p.DataCanvas(p.below(draw.NewCanvas(&nowhere, width, height))).Size()
}

// Save draws the picture on a white ground and writes it as a PNG file.
func (p *Picture) Save(width, height vg.Length, path string) (err error) {
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(150))
	p.Draw(p.below(draw.New(canvas)))

	f, err := os.Create(path)
	if err != nil {
		return errors.Wrap(err, "cannot save a picture")
	}
	defer func() {
		// The last bytes may be written, and may fail, only here.
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = errors.Wrap(closeErr, "cannot save a picture")
		}
	}()
	return errors.Wrap(png.Encode(f, paletted(canvas.Image())), "cannot save a picture")
}
