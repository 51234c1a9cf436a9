package embedding_test

import (
	"errors"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestMaxBagsOfTooMuch: a small table and a list of ids can ask for more memory than
// there is, since a step of Max makes a gradient of each id. That is an error of Set,
// and not the end of the process.
func TestMaxBagsOfTooMuch(t *testing.T) {
	table, err := embedding.New(tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(1, 1<<21)))
	ok(t, err)
	bags, err := table.Bag(G.NewGraph(), "bags", 1, embedding.Max)
	ok(t, err)
	err = bags.Set(tensor.New(tensor.Of(tensor.Uint8), tensor.WithShape(1, 1<<20))) // 8 TiB
	if !errors.Is(err, dense.ErrShape) || !strings.Contains(err.Error(), "Bag(bags)") || !strings.Contains(err.Error(), "memory") {
		t.Errorf("error %v, want one of the memory", err)
	}
	ok(t, bags.Set(tensor.New(tensor.Of(tensor.Uint8), tensor.WithShape(1, 2))))
}
