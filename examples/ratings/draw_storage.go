package main

import (
	"fmt"
	"image/color"
	"io"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gorgonia.org/gather/internal/examples/picture"
)

// drawStorages draws the size of a row in each storage as a bar, with the time of a lookup and
// the errors beside it.
func drawStorages(stdout io.Writer, path string, all []stored) error {
	if len(all) == 0 {
		return nil
	}
	p := picture.New("Rows of users and films in fewer bits",
		"Beside each bar: the time of a lookup, the RMSE on held-out ratings, lower is better, and the error of a row.",
		"bytes of a row", "")
	bytes, names := make(plotter.Values, len(all)), make([]string, len(all))
	texts := &plotter.Labels{Offset: vg.Point{X: 6, Y: 2}}
	style := picture.Text(11, color.Black)
	style.XAlign = draw.XLeft
	for i, s := range all {
		at := len(all) - 1 - i // the first one on top
		bytes[at], names[at] = float64(s.rowBytes), s.name
		texts.XYs = append(texts.XYs, plotter.XY{X: float64(s.rowBytes), Y: float64(at)})
		text := fmt.Sprintf("%d bytes, %.0f µs, RMSE %.4f", s.rowBytes, s.lookup.Seconds()*1e6, s.held)
		if s.rowError > 0 {
			text += fmt.Sprintf(", rows ± %.2g %%", 100*s.rowError)
		}
		texts.Labels = append(texts.Labels, text)
		texts.TextStyle = append(texts.TextStyle, style)
	}
	bars, err := plotter.NewBarChart(bytes, vg.Points(24))
	if err != nil {
		return errors.Wrap(err, "drawing the storages")
	}
	bars.Horizontal, bars.Color, bars.LineStyle.Width = true, picture.Blue, 0
	p.Add(bars, texts)
	p.NominalY(names...)
	p.X.Min, p.X.Max = 0, 1.9*float64(all[0].rowBytes) // with room for the texts
	p.Y.Min, p.Y.Max = -0.6, float64(len(all))-0.4
	if err := p.Save(8*vg.Inch, vg.Length(1.6+0.5*float64(len(all)))*vg.Inch, path); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "  %s\n", path)
	return err
}
