package embedding_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/gather/internal/npy"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

// TestPrefetchPages: Prefetch has the pages of its rows read, and hardly any other, be
// rows shorter than a page or longer, wherever in the file they begin, and whether or not
// the table can be written.
func TestPrefetchPages(t *testing.T) {
	const rows = 1000
	aligned := func(align int) func(dim int) []byte {
		return func(dim int) []byte {
			head, err := npy.Header{Kind: num.Float32, Shape: []int{rows, dim}}.Encode(align)
			ok(t, err)
			return head
		}
	}
	for _, file := range []struct {
		what, ending string
		head         func(dim int) []byte
		opts         []embedding.TableOption
	}{
		{"aligned to 64", ".npy", aligned(64), nil},
		{"aligned to a page", ".npy", aligned(npy.Page), nil},
		{"read-only", ".npy", aligned(64), []embedding.TableOption{embedding.WithReadOnly()}},
		{"not aligned", ".safetensors", func(dim int) []byte {
			header := fmt.Sprintf(`{"w": {"dtype": "F32", "shape": [%d, %d], "data_offsets": [0, %d]}}`, rows, dim, rows*dim*4)
			if len(header)%2 == 0 {
				header += " "
			}
			return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		}, nil},
	} {
		for _, dim := range []int{1, 3, 64, 1500, 5000} {
			t.Run(fmt.Sprintf("rows of %d, %s", dim, file.what), func(t *testing.T) {
				head := file.head(dim)
				path := filepath.Join(t.TempDir(), "items"+file.ending)
				ok(t, os.WriteFile(path, append(head, make([]byte, rows*dim*4)...), 0o666))
				mem := forgotten(t, path)
				table, err := embedding.Open(path, append(file.opts, embedding.WithPadding(7))...)
				ok(t, err)
				defer table.Close()
				want := make([]bool, (len(mem)+4095)/4096)
				want[0] = true // the header
				rng := rand.New(rand.NewPCG(uint64(dim), 1))
				ids := make([]int32, 20)
				for i := range ids {
					row := []int{rng.IntN(rows), rng.IntN(20), rows - 1, 8}[i%4]
					for at := range dim * 4 {
						want[(len(head)+row*dim*4+at)/4096] = true
					}
					ids[i] = int32(row - rows*(i%2))
				}
				ids[3] = 7 // the padding: no page
				ok(t, table.Prefetch(tensor.New(tensor.WithShape(4, 5), tensor.WithBacking(ids))))
				missing := 1
				for deadline := time.Now().Add(20 * time.Second); missing > 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
					missing = 0
					for page, in := range resident(t, mem) {
						if want[page] && !in {
							missing++
						}
					}
				}
				if got := count(resident(t, mem)); missing > 0 || got > count(want)+8 {
					t.Errorf("%d of %d pages are missing, %d are there", missing, count(want), got)
				}
			})
		}
	}
}

// TestPrefetchLetsStepsThrough: a step that waits for a Prefetch of many rows gets its turn
// before all of them are asked for.
func TestPrefetchLetsStepsThrough(t *testing.T) {
	const rows, dim = 1 << 14, 16
	path := filepath.Join(memoryFolder(t), "items.npy")
	table, err := embedding.Create(path, tensor.Float32, rows, dim, embedding.Zeros())
	ok(t, err)
	defer table.Close()
	sgd := makers(t)["SGD"]()
	stepped, asked := make(chan error, 1), 0
	defer files.Intercept(func(name, of string, do func() error) error {
		if name == "fadvise" {
			asked++
			switch asked {
			case 1: // of four times 4096 rows
				go func() { stepped <- sgd.Update(table, vector(1), matrix(1, dim, make([]float32, dim)...)) }()
				untilOneWaits(t)
			case 7:
				select {
				case err := <-stepped:
					ok(t, err)
				case <-time.After(20 * time.Second):
					t.Error("the step waits until all rows are asked for")
				}
			}
		}
		return do()
	})()
	ids := make([]int, 10*rows)
	for i := range ids {
		ids[i] = i * 7 % rows
	}
	ok(t, table.Prefetch(vector(ids...)))
	if asked < 7 || asked > 12 {
		t.Errorf("rows of 1 MiB are asked for %d times", asked)
	}
}

// untilOneWaits returns when a goroutine waits to write what an RWMutex guards. That it
// waits, and not how long it had time to, is what a loaded machine cannot change.
func untilOneWaits(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(20 * time.Second); !bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte(" [sync.RWMutex.Lock")); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("the step does not wait")
			return
		}
	}
}

// TestPrefetchTruncated: rows that another process has cut off the file are asked for as
// others are. It is who touches them whom the system ends.
func TestPrefetchTruncated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "items.npy")
	table, err := embedding.Create(path, tensor.Float32, 3000, 64, embedding.Zeros())
	ok(t, err)
	ok(t, table.Close())
	for _, opts := range [][]embedding.TableOption{{embedding.WithReadOnly()}, {}} {
		table, err := embedding.Open(path, opts...)
		ok(t, err)
		ok(t, os.Truncate(path, 5000))
		ok(t, table.Prefetch(vector(0, 1, 2, 1000, 2000, 2999)))
		ok(t, os.Truncate(path, 4096+3000*64*4))
		ok(t, table.Close())
	}
}
