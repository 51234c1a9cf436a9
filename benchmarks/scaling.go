package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/pkg/errors"
)

// Scaling is time against size.
type Scaling struct {
	Machine Machine `json:"machine"`
	Rounds  int     `json:"rounds"`
	Points  []Point `json:"points"`
}

// Point is one size of one operator.
type Point struct {
	Series  string  `json:"series"` // one of scales
	Threads int     `json:"threads"`
	Runner  string  `json:"runner"`
	Data    int     `json:"data_bytes"`
	Bytes   int     `json:"bytes"`      // of data, indices and what is written or added
	Element float64 `json:"ns_element"` // the time of a call per element moved
	Median  float64 `json:"median_us"`  // of a call
	Min     float64 `json:"min_us"`
}

// scale is an operator at a size of data in bytes.
type scale struct {
	name string
	make func(bytes int) Case
}

const (
	leastScale = 1 << 6
	mostScale  = 1 << 26
	scaleRow   = 64 // bytes of the rows: as many as data has at least
)

// scales move as many elements as data has.
var scales = []scale{
	{"Gather, rows of 64 bytes", func(b int) Case {
		return Case{Op: "Gather", Mode: Read, Data: []int{b / scaleRow, scaleRow / 4}, Indices: []int{b / scaleRow}}
	}},
	{"GatherElements, last axis", func(b int) Case {
		rows, columns := squarish(b / 4)
		return Case{Op: "GatherElements", Mode: Read, Axis: 1, Data: []int{rows, columns}, Indices: []int{rows, columns}}
	}},
	{"GatherND, elements", func(b int) Case {
		rows, columns := squarish(b / 4)
		return Case{Op: "GatherND", Mode: Read, Data: []int{rows, columns}, Indices: []int{b / 4, 2}}
	}},
	{"ScatterElements add, in place", func(b int) Case {
		rows, columns := squarish(b / 4)
		return Case{Op: "ScatterElements", Mode: InPlace, Reduction: Add, Axis: 1, Data: []int{rows, columns}, Indices: []int{rows, columns}}
	}},
}

// squarish splits a power of two.
func squarish(n int) (rows, columns int) {
	rows = 1
	for rows*rows*4 <= n {
		rows *= 2
	}
	return rows, n / rows
}

func (s scale) at(bytes int) Case {
	c := s.make(bytes)
	c.Name, c.Group = s.name, "scaling"
	c.Sets = c.rotation()
	return c
}

// touched is all bytes that a call reads or writes.
func (c Case) touched() int {
	n := 4*size(c.Data) + 8*size(c.Indices)
	if c.Mode == Read {
		return n + 4*size(c.outShape())
	}
	return n + 4*size(c.updatesShape())
}

// scale measures all scales at all powers of two.
func (b *Bench) scale(ctx context.Context) (*Scaling, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var some []Case
	for _, s := range scales {
		for n := leastScale; n <= mostScale; n *= 2 {
			some = append(some, s.at(n))
		}
	}
	return b.scaleOf(ctx, some)
}

func (b *Bench) scaleOf(ctx context.Context, some []Case) (*Scaling, error) {
	r := &Scaling{Machine: thisMachine(), Rounds: b.rounds}
	bar := newProgress(b.progress, len(some))
	defer bar.finish()
	for _, c := range some {
		p, err := newProblem(c)
		if err != nil {
			return nil, err
		}
		for _, threads := range b.threads {
			runtime.GOMAXPROCS(threads)
			times, err := b.measureScale(ctx, p, threads)
			if err != nil {
				return nil, errors.Wrap(err, c.Name)
			}
			for _, t := range times {
				r.Points = append(r.Points, Point{
					Series: c.Name, Threads: threads, Runner: t.Runner,
					Data: 4 * size(c.Data), Bytes: c.touched(),
					Element: 1000 * t.Median / float64(p.bytes()/4), Median: t.Median, Min: t.Min,
				})
			}
		}
		bar.step(c.Name, "data of "+byteText(4*size(c.Data)))
	}
	return r, nil
}

// measureScale takes ours and ONNX Runtime, whose results the table compares.
func (b *Bench) measureScale(ctx context.Context, p *Problem, threads int) ([]Time, error) {
	ours, err := newOurs(Ours, p)
	if err != nil {
		return nil, err
	}
	some := []Runner{ours}
	if b.onnxRuntime {
		r, err := newONNXRuntime(p, threads)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		some = append(some, r)
	}
	return measure(ctx, some, b.rounds)
}

func loadScaling(file string) (*Scaling, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, errors.Wrap(err, "scaling")
	}
	r := new(Scaling)
	return r, errors.Wrapf(json.Unmarshal(b, r), "scaling %s", file)
}

// table has nanoseconds per element, a line for each size.
func (r *Scaling) table(series string) table {
	t := table{title: series + ", ns per element", head: []string{"data"}}
	lines, columns := map[int]int{}, map[string]int{}
	for _, p := range r.Points {
		if p.Series != series {
			continue
		}
		column := fmt.Sprintf("%s, threads %d", p.Runner, p.Threads)
		if _, ok := columns[column]; !ok {
			columns[column] = len(t.head)
			t.head = append(t.head, column)
		}
		line, ok := lines[p.Data]
		if !ok {
			line = len(t.rows)
			lines[p.Data] = line
			t.rows = append(t.rows, []string{byteText(p.Data)})
		}
		for len(t.rows[line]) <= columns[column] {
			t.rows[line] = append(t.rows[line], "-")
		}
		t.rows[line][columns[column]] = fmt.Sprintf("%.2f", p.Element)
	}
	return t
}

// outputScaling prints and writes it.
func (s settings) outputScaling(r *Scaling, stdout io.Writer) error {
	write := func(w io.Writer, markdown bool) {
		fmt.Fprintf(w, "%s, on %s.\nAssembly: %s.\n", r.Machine, r.Machine.Date, r.Machine.Build)
		for _, x := range scales {
			if t := r.table(x.name); markdown {
				t.markdown(w)
			} else {
				t.text(w)
			}
		}
	}
	write(stdout, false)
	if s.markdown != "" {
		var text strings.Builder
		write(&text, true)
		if err := os.WriteFile(s.markdown, []byte(text.String()), 0o644); err != nil {
			return errors.Wrap(err, "scaling")
		}
	}
	if s.json != "" {
		b, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return errors.Wrap(err, "scaling")
		}
		if err := os.WriteFile(s.json, append(b, '\n'), 0o644); err != nil {
			return errors.Wrap(err, "scaling")
		}
	}
	if s.svg != "" {
		return drawScaling(r, s.svg)
	}
	return nil
}
