//go:build linux || darwin

package embedding_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestManyEmptyRows: what is made for each row is bounded where memory does not bound the
// rows, since a file of some hundred bytes can have so many.
func TestManyEmptyRows(t *testing.T) {
	const most = 1 << 20
	for _, rows := range []int{most, most + 1, 1 << 26, math.MaxInt32} {
		path := filepath.Join(t.TempDir(), "items.npy")
		table, err := embedding.Create(path, tensor.Float32, rows, 0, embedding.Zeros())
		ok(t, err)
		defer table.Close()
		whole := func(table *embedding.Table) error {
			l, err := table.Whole(G.NewGraph(), "all")
			if err == nil {
				err = l.Set(nil)
			}
			return err
		}
		o, err := embedding.NewRowWiseAdagrad(embedding.WithLearnRate(1))
		ok(t, err)
		none := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(2, 0))
		calls := 0
		for what, err := range map[string]error{
			"Whole":    whole(table),
			"states":   o.Update(table, vector(int64(1), 2), none),
			"Quantize": second(table.Quantize(embedding.Int4)),
			"FromRows": second(embedding.Make(tensor.Float32, rows, 0, embedding.FromRows(func(int, []float64) { calls++ }))),
		} {
			if rows <= most {
				if err != nil {
					t.Errorf("%s of %d rows: %v", what, rows, err)
				}
				continue
			}
			if !errors.Is(err, dense.ErrShape) || !strings.Contains(err.Error(), "at most 1048576 of such are allowed") {
				t.Errorf("%s of %d rows: error %v", what, rows, err)
			}
		}
		if want := min(rows, most); calls != want && rows <= most || calls > want {
			t.Errorf("%d calls for %d rows", calls, rows)
		}
		if _, err := os.Stat(path + ".rowwiseadagrad"); (err == nil) != (rows <= most) {
			t.Errorf("states of %d rows: %v", rows, err)
		}
	}
}
