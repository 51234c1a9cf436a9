package dense_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestOptionsRefused gives every option to every operator that lacks it.
func TestOptionsRefused(t *testing.T) {
	options := map[string]dense.Option{
		"WithBatchDims":          dense.WithBatchDims(0),
		"WithFusedBatchDims":     dense.WithFusedBatchDims(),
		"WithOutOfRange":         dense.WithOutOfRange(dense.Reject),
		"WithNonNegativeIndices": dense.WithNonNegativeIndices(),
		"WithReduction":          dense.WithReduction(dense.None),
		"WithInitValue":          dense.WithInitValue(true),
		"WithPadding":            dense.WithPadding(-1),
		"WithReuse":              dense.WithReuse(upTo(1, 2, 3)),
	}
	data, indices := upTo(1, 2, 3), values(dims{2, 1}, 0, 1)
	one := func(_ *tensor.Dense, err error) error { return err }
	for _, c := range []struct {
		op  string
		has []string
		run func(o dense.Option) error
	}{
		{"Gather", []string{"WithBatchDims", "WithOutOfRange", "WithNonNegativeIndices", "WithPadding", "WithReuse"},
			func(o dense.Option) error { return one(dense.Gather(data, indices, 0, o)) }},
		{"GatherElements", []string{"WithOutOfRange", "WithNonNegativeIndices", "WithPadding", "WithReuse"},
			func(o dense.Option) error { return one(dense.GatherElements(data, indices, 0, o)) }},
		{"GatherND", []string{"WithBatchDims", "WithFusedBatchDims", "WithOutOfRange", "WithNonNegativeIndices", "WithPadding", "WithReuse"},
			func(o dense.Option) error { return one(dense.GatherND(data, indices, o)) }},
		{"ScatterElements", []string{"WithOutOfRange", "WithNonNegativeIndices", "WithReduction", "WithInitValue", "WithPadding", "WithReuse"},
			func(o dense.Option) error { return one(dense.ScatterElements(data, indices, upTo(1, 2, 1), 0, o)) }},
		{"ScatterND", []string{"WithOutOfRange", "WithNonNegativeIndices", "WithReduction", "WithInitValue", "WithPadding", "WithReuse"},
			func(o dense.Option) error { return one(dense.ScatterND(data, indices, upTo(1, 2, 3), o)) }},
		{"ScatterUpdate", []string{"WithOutOfRange", "WithNonNegativeIndices", "WithReduction", "WithInitValue", "WithPadding", "WithReuse"},
			func(o dense.Option) error { return one(dense.ScatterUpdate(data, indices, upTo(1, 2, 1, 3), 0, o)) }},
		{"GatherTree", []string{"WithReuse"}, func(o dense.Option) error {
			return one(dense.GatherTree(upTo(1, 2, 3, 4), upTo(1, 2, 3, 4), upTo(1, 3), values(dims{}, 1.0), o))
		}},
	} {
		for name, option := range options {
			t.Run(c.op+" "+name, func(t *testing.T) {
				err := c.run(option)
				if slices.Contains(c.has, name) {
					if errors.Is(err, dense.ErrOption) {
						t.Error(err)
					}
					return
				}
				want := fmt.Sprintf("%s: %s does not apply, the options are: %s", c.op, name, strings.Join(c.has, ", "))
				if !errors.Is(err, dense.ErrOption) || err.Error() != want {
					t.Errorf("error %v, want %s", err, want)
				}
			})
		}
	}
}

// TestOptionValues gives options values that they do not take.
func TestOptionValues(t *testing.T) {
	data, indices := upTo(1, 2, 3), values(dims{2, 1}, 0, 1)
	for _, op := range operators {
		call := &call{op: op}
		for _, c := range []struct {
			option dense.Option
			want   string
		}{
			{dense.WithReuse(nil), "WithReuse(nil), a *tensor.Dense is needed"},
			{dense.WithOutOfRange(dense.Skip), "WithOutOfRange(Skip), allowed are Reject, ZeroFill and Clamp"},
		} {
			_, err := call.run(data, indices, c.option)
			if want := op + ": " + c.want + ""; !errors.Is(err, dense.ErrOption) || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		}
		err := call.runAdd(data, data, indices, dense.WithReuse(data))
		want := "Add" + op + ": WithReuse does not apply, dst is an argument"
		if !errors.Is(err, dense.ErrOption) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestLaterOptionWins gives an option twice: the later value counts, its zero
// value too.
func TestLaterOptionWins(t *testing.T) {
	data := upTo(1, 2, 3)
	first, second := upTo(0, 2), upTo(0, 2)
	got, err := dense.Gather(data, index(1, 2), 1,
		dense.WithReuse(first), dense.WithOutOfRange(dense.ZeroFill), dense.WithBatchDims(0),
		dense.WithBatchDims(1), dense.WithReuse(second))
	if err != nil || got != second {
		t.Errorf("got %v, %v, want the second destination", got, err)
	}
	if err := errors.Join(difference(packed[float64](first), []float64{0, 1}), difference(packed[float64](second), []float64{2, 6})); err != nil {
		t.Error(err)
	}
	_, err = dense.Gather(data, index(5), 1, dense.WithOutOfRange(dense.ZeroFill), dense.WithOutOfRange(dense.Reject))
	var bad *dense.IndexError
	if !errors.As(err, &bad) {
		t.Errorf("error %v, want that of Reject", err)
	}
	_, err = dense.Gather(data, index(1, 2), 1, dense.WithReuse(first), dense.WithReuse(nil), dense.WithBatchDims(1))
	if !errors.Is(err, dense.ErrOption) {
		t.Errorf("error %v for WithReuse(nil), a *tensor.Dense is needed", err)
	}
}

// TestOptionsAreValues keeps options and gives them to several calls.
func TestOptionsAreValues(t *testing.T) {
	opts := []dense.Option{dense.WithBatchDims(1), dense.WithOutOfRange(dense.ZeroFill)}
	if dense.WithBatchDims(1) != opts[0] || dense.WithBatchDims(2) == opts[0] {
		t.Error("options do not compare")
	}
	for range 2 {
		got, err := dense.Gather(upTo(1, 2, 3), index(0, 3), 1, opts...)
		if err != nil {
			t.Fatal(err)
		}
		if err := difference(packed[float64](got), []float64{1, 0}); err != nil {
			t.Error(err)
		}
		if _, err := dense.GatherND(upTo(1, 2, 3), values(dims{2, 1}, 0, 2), opts...); err != nil {
			t.Error(err)
		}
	}
}
