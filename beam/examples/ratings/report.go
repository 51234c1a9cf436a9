package main

import (
	"context"
	"fmt"
	"image/color"
	"io"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/pkg/errors"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gorgonia.org/gather/internal/examples/picture"
	"gorgonia.org/gather/internal/examples/ratings"
)

// runPipeline runs a pipeline on the runner that the flags name.
func runPipeline(ctx context.Context, p *beam.Pipeline) error {
	name := *runners.Runner
	if name == "" {
		name = "prism"
	}
	_, err := beam.Run(ctx, name, p)
	return err
}

// report prints the RMSE after each job.
func (t *training) report(stdout io.Writer, in *input) {
	fmt.Fprintf(stdout, "\nRMSE on held-out ratings\n  epochs   on Beam")
	if t.compare {
		fmt.Fprint(stdout, "   one process")
	}
	fmt.Fprintln(stdout)
	for _, m := range t.history {
		fmt.Fprintf(stdout, "  %6d  %8.4f", m.epochs, m.beam)
		if t.compare {
			fmt.Fprintf(stdout, "  %12.4f", m.alone)
		}
		fmt.Fprintln(stdout)
	}
	if t.compare {
		fmt.Fprintln(stdout, "  after each job the rows are those of one process, bit for bit")
	}
	if in.inMemory != nil {
		b := ratings.NewBaselines(ratings.Split(in.inMemory, t.seed))
		fmt.Fprintf(stdout, "  mean of all ratings      %.4f\n  means of user and film   %.4f\n  biases of user and film  %.4f\n", b.Global, b.Means, b.Biased)
	}
	if t.path == "" {
		fmt.Fprintf(stdout, "  %.1f is the noise of the synthetic ratings, which no model can predict\n", ratings.Chance)
	}
	if n := t.factors.Epochs - t.history[0].epochs; n > 0 {
		fmt.Fprintf(stdout, "\n%s an epoch on Beam", (t.spent / time.Duration(n)).Round(time.Millisecond))
		if t.compare {
			fmt.Fprintf(stdout, ", %s in one process", (t.alone / time.Duration(n)).Round(time.Millisecond))
		}
		fmt.Fprintln(stdout)
	}
}

// draw draws the error after each job.
func (t *training) draw(stdout io.Writer, path string) error {
	if len(t.history) < 2 {
		return nil // there is nothing to see yet
	}
	p := picture.New("Predicting ratings, in blocks that train in parallel",
		"RMSE on held-out ratings after each job; lower is better.",
		"epochs", "RMSE")
	var onBeam, alone plotter.XYs
	for _, m := range t.history {
		onBeam = append(onBeam, plotter.XY{X: float64(m.epochs), Y: m.beam})
		alone = append(alone, plotter.XY{X: float64(m.epochs), Y: m.alone})
	}
	if t.compare {
		line, err := plotter.NewLine(alone)
		if err != nil {
			return errors.Wrap(err, "drawing the error")
		}
		line.Color, line.Width = picture.Orange, vg.Points(2)
		p.Add(line)
		p.Explain("one process, the same order", line)
	}
	points := &plotter.Scatter{XYs: onBeam, GlyphStyle: draw.GlyphStyle{Color: color.Color(picture.Blue), Radius: 3.5, Shape: draw.CircleGlyph{}}}
	p.Add(points)
	p.Explain("on Beam", picture.Glyphs{points.GlyphStyle})
	p.X.Tick.Marker = picture.Ticks{Whole: true}
	margin := 0.05 * (p.Y.Max - p.Y.Min)
	p.Y.Min, p.Y.Max = p.Y.Min-margin, p.Y.Max+margin
	if err := p.Save(7*vg.Inch, 4.5*vg.Inch, path); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "\npicture\n  %s\n", path)
	return err
}
