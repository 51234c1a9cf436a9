//go:build linux || darwin

package embedding_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestFileTables trains tables in files beside tables in memory: the same bits,
// also when the table and its optimiser are closed and taken up now and then.
func TestFileTables(t *testing.T) {
	const rows, dim = 50, 7
	for name, newOptimizer := range makers(t) {
		for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			t.Run(fmt.Sprint(name, " ", dt), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "items.npy")
				init := embedding.Normal(3, 0, 1)
				inMemory, err := embedding.Make(dt, rows, dim, init)
				ok(t, err)
				inFile, err := embedding.Create(path, dt, rows, dim, init)
				ok(t, err)
				sameBits(t, "the beginning", bits(t, inFile), bits(t, inMemory))
				o, of := newOptimizer(), newOptimizer()
				for k := range 30 {
					if k%7 == 5 {
						ok(t, inFile.Close())
						inFile, err = embedding.Open(path)
						ok(t, err)
						of = newOptimizer()
						// What it remembers is there before it steps.
						for state, want := range o.State(inMemory) {
							sameBits(t, state, bitsOf(of.State(inFile)[state]), bitsOf(want))
						}
					}
					update(t, o, inMemory, k)
					update(t, of, inFile, k)
				}
				sameBits(t, "the rows", bits(t, inFile), bits(t, inMemory))
				ok(t, inFile.Sync())
				ok(t, inFile.Close())
				file, err := os.ReadFile(path)
				ok(t, err)
				data := file[len(file)-rows*dim*int(dt.Size()):]
				want := bits(t, inMemory)
				for i := range want {
					got := uint64(0)
					if dt == tensor.Float32 {
						got = uint64(binary.LittleEndian.Uint32(data[4*i:]))
					} else {
						got = binary.LittleEndian.Uint64(data[8*i:])
					}
					if got != want[i] {
						t.Fatalf("number %d in the file is %x, want %x", i, got, want[i])
					}
				}
			})
		}
	}
}

// TestReadOnly looks up and refuses to learn.
func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "items.npy")
	table, err := embedding.Create(path, tensor.Float32, 4, 2, embedding.Uniform(1, 0, 1))
	ok(t, err)
	reader, err := embedding.Open(path, embedding.WithReadOnly())
	ok(t, err)
	o := newAdam(t)
	update(t, o, table, 1)
	sameBits(t, "what another table learns", bits(t, reader), bits(t, table))

	before := bits(t, table)
	ids, grads := vector(int64(1)), matrix(1, 2, float32(10), 20)
	if err := o.Update(reader, ids, grads); err == nil || !strings.Contains(err.Error(), "opened with WithReadOnly") {
		t.Errorf("Update: error %v", err)
	}
	if err := embedding.Save(t.TempDir(), map[string]*embedding.Table{"items": reader}, o); err == nil || !strings.Contains(err.Error(), "WithReadOnly") {
		t.Errorf("Save with an optimiser whose states are locked: error %v", err)
	}
	if len(o.State(reader)) != 0 {
		t.Error("an optimiser remembers something of a table it cannot step")
	}
	weights, err := reader.Weights()
	ok(t, err)
	weights.Float32s()[0] = 99 // ends no process
	ok(t, reader.Sync())
	sameBits(t, "the table", bits(t, table), before)
	ok(t, reader.Close())
	ok(t, table.Close())
	table, err = embedding.Open(path, embedding.WithReadOnly())
	ok(t, err)
	sameBits(t, "the file", bits(t, table), before)
	ok(t, table.Close())
}

// TestClose: nothing works on a closed table, and tensors of it stay readable.
func TestCloseOfFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "items.npy")
	table, err := embedding.Create(path, tensor.Float32, 4, 2, embedding.Uniform(1, 0, 1))
	ok(t, err)
	l, err := table.Lookup(G.NewGraph(), "ids", 1)
	ok(t, err)
	o := newAdam(t)
	ids, grads := vector(int64(1)), matrix(1, 2, float32(10), 20)
	ok(t, o.Update(table, ids, grads))
	weights, err := table.Weights()
	ok(t, err)
	state := o.State(table)["m"]
	want := [][]uint64{bitsOf(weights), bitsOf(state)}
	ok(t, table.Close())
	ok(t, table.Close())
	sameBits(t, "weights", bitsOf(weights), want[0])
	sameBits(t, "state", bitsOf(state), want[1])
	if len(o.State(table)) != 0 {
		t.Error("there is state of a closed table")
	}
	for name, err := range map[string]error{
		"Set": l.Set(ids), "Update": o.Update(table, ids, grads), "Weights": second(table.Weights()), "Sync": table.Sync(),
		"Update of another": newAdam(t).Update(table, ids, grads),
		"Save":              embedding.Save(t.TempDir(), map[string]*embedding.Table{"items": table}, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	table, err = embedding.Open(path) // although the tensors stay
	ok(t, err)
	sameBits(t, "the file", bits(t, table), want[0])
	ok(t, newAdam(t).Update(table, ids, grads))
	ok(t, table.Close())
}
