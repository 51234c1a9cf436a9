package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/simd"
)

// without measures what a family of assembly brings: each case with the whole of an
// implementation and, in turns with that, without each family that serves the case.
type without struct {
	Machine  Machine       `json:"machine"` // its build is the name of the implementation
	Rounds   int           `json:"rounds"`
	Families []string      `json:"families"`
	Cases    []withoutCase `json:"cases"`

	whole *simd.Implementation
}

// withoutCase is what was measured of a case, in microseconds.
type withoutCase struct {
	Group   string             `json:"group"`
	Name    string             `json:"name"`
	Whole   float64            `json:"whole_us,omitempty"`   // 0 if no family serves it
	Without map[string]float64 `json:"without_us,omitempty"` // for the families that serve it
}

// newWithout takes the names of families, with commas between, or "all".
func newWithout(which, implementation string, rounds int) (*without, error) {
	w := &without{Machine: thisMachine(), Rounds: rounds}
	var names []string
	for _, i := range simd.Implementations {
		names = append(names, i.Name)
		if i.Name == implementation {
			w.whole = i
		}
	}
	if w.whole == nil {
		return nil, errors.Errorf("-assembly %s: this machine and build have %s", implementation, strings.Join(names, ", "))
	}
	w.Machine.Build = implementation
	if which != "all" {
		w.Families = strings.Split(which, ",")
	} else {
		for _, f := range families() {
			w.Families = append(w.Families, f.Name)
		}
	}
	for _, name := range w.Families {
		if _, err := withoutFamily(w.whole, name); err != nil {
			return nil, errors.WithMessage(err, "-without")
		}
	}
	return w, nil
}

// run measures the cases that are not in the report yet, with one thread.
func (w *without) run(ctx context.Context, some []Case, progress io.Writer) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	some = slices.DeleteFunc(slices.Clone(some), func(c Case) bool {
		return slices.ContainsFunc(w.Cases, func(x withoutCase) bool { return x.Group == c.Group && x.Name == c.Name })
	})
	bar := newProgress(progress, len(some))
	defer bar.finish()
	for _, c := range some {
		if err := ctx.Err(); err != nil {
			return err
		}
		x, err := w.measure(ctx, c)
		if err != nil {
			return errors.Wrap(err, c.Name)
		}
		w.Cases = append(w.Cases, x)
		bar.step(c.Name, fmt.Sprintf("served by %d", len(x.Without)))
	}
	return nil
}

// measure finds out which families serve a case, and what it takes without each.
func (w *without) measure(ctx context.Context, c Case) (x withoutCase, err error) {
	x = withoutCase{Group: c.Group, Name: c.Name}
	p, err := newProblem(c)
	if err != nil {
		return x, err
	}
	all, err := w.variant(w.whole, p)
	if err != nil {
		return x, err
	}
	defer all.Close()
	want, serving, err := w.serving(all)
	if err != nil || len(serving) == 0 {
		return x, err
	}
	runners := []Runner{all}
	for _, family := range serving {
		impl, err := withoutFamily(w.whole, family)
		if err != nil {
			return x, err
		}
		r, err := w.variant(impl, p)
		if err != nil {
			return x, err
		}
		defer r.Close()
		got, err := r.Result()
		if err != nil {
			return x, err
		}
		if !bytes.Equal(got.memory, want.memory) {
			return x, errors.Errorf("without %s the result is another one", family)
		}
		runners = append(runners, r)
	}
	times, err := measure(ctx, runners, w.Rounds)
	if err != nil {
		return x, err
	}
	x.Whole, x.Without = times[0].Median, map[string]float64{}
	for i, family := range serving {
		x.Without[family] = times[i+1].Median
	}
	return x, nil
}

// serving runs a case once and returns the result and the families that have a loop in it.
func (w *without) serving(r *variant) (Values, []string, error) {
	calls := make([]atomic.Int64, len(w.Families))
	watched := r.impl
	for i, family := range w.Families {
		var err error
		if watched, err = watchedFamily(watched, family, func() { calls[i].Add(1) }); err != nil {
			return Values{}, nil, err
		}
	}
	result, err := (&variant{r.Runner, watched}).Result()
	var some []string
	for i, family := range w.Families {
		if calls[i].Load() > 0 {
			some = append(some, family)
		}
	}
	return result, some, err
}

// variant is a runner with an implementation of its own.
type variant struct {
	Runner
	impl *simd.Implementation
}

func (w *without) variant(impl *simd.Implementation, p *Problem) (*variant, error) {
	defer simd.Use(impl)()
	r, err := newOurs(impl.Name, p)
	return &variant{r, impl}, err
}

func (v *variant) Result() (Values, error) {
	defer simd.Use(v.impl)()
	return v.Runner.Result()
}

func (v *variant) Sample(n int) (time.Duration, error) {
	defer simd.Use(v.impl)()
	return v.Runner.Sample(n)
}

// resume takes over what a run that was interrupted has measured.
func (w *without) resume(file string) error {
	b, err := os.ReadFile(file)
	if os.IsNotExist(err) { // there is none yet in the first of several pieces of a run
		return nil
	}
	if err != nil {
		return errors.Wrap(err, "report")
	}
	var before without
	if err := json.Unmarshal(b, &before); err != nil {
		return errors.Wrapf(err, "report %s", file)
	}
	if before.Machine.CPU != w.Machine.CPU || before.Machine.Build != w.Machine.Build || !slices.Equal(before.Families, w.Families) {
		return errors.Errorf("report %s is of another machine, implementation or other families", file)
	}
	w.Cases = before.Cases
	return nil
}

// measureWithout is the run of -without.
func (s settings) measureWithout(ctx context.Context, stdout, stderr io.Writer) error {
	w, err := newWithout(s.without, s.assembly, s.rounds)
	if err != nil {
		return err
	}
	some, err := selected(s.group, s.match)
	if err != nil {
		return err
	}
	lines, err := assemblyLines(s.source)
	if err != nil {
		return err
	}
	if s.resume {
		if err := w.resume(s.json); err != nil {
			return err
		}
	}
	err = w.run(ctx, some, stderr)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if s.json != "" {
		b, e := json.MarshalIndent(w, "", "  ")
		if e == nil {
			e = os.WriteFile(s.json, append(b, '\n'), 0o644)
		}
		if e != nil {
			return errors.Wrap(e, "report")
		}
	}
	w.print(stdout, lines, false)
	if s.markdown != "" {
		var text strings.Builder
		w.print(&text, lines, true)
		if e := os.WriteFile(s.markdown, []byte(text.String()), 0o644); e != nil {
			return errors.Wrap(e, "tables")
		}
	}
	return err
}
