package torch

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// TestPrepacked compares the bytes of rows of Int8 and Int4 with those that PyTorch's
// prepack operators made of the same rows: prepacked.py has written them.
func TestPrepacked(t *testing.T) {
	file, err := os.Open("prepacked.jsonl.gz")
	require.NoError(t, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	cases := 0
	for lines := json.NewDecoder(unzipped); ; cases++ {
		var c struct {
			Columns             int
			Float32, Int8, Int4 string
		}
		err := lines.Decode(&c)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		raw, err := hex.DecodeString(c.Float32)
		require.NoError(t, err)
		weights := make([]float32, len(raw)/4)
		for i := range weights {
			weights[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		rows := tensor.New(tensor.WithShape(len(weights)/c.Columns, c.Columns), tensor.WithBacking(weights))
		table, err := embedding.New(rows)
		require.NoError(t, err)
		for storage, want := range map[embedding.Storage]string{embedding.Int8: c.Int8, embedding.Int4: c.Int4} {
			require.Equal(t, want, hex.EncodeToString(storedBytes(t, table, storage)), "%v, rows of %d", storage, c.Columns)
		}
	}
	require.Equal(t, 5, cases)
}

// storedBytes are the bytes of all rows of a table in a storage, as Save writes them.
func storedBytes(t *testing.T, table *embedding.Table, storage embedding.Storage) []byte {
	stored, err := table.Quantize(storage)
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, embedding.Save(folder, map[string]*embedding.Table{"rows": stored}, nil))
	paths, err := filepath.Glob(filepath.Join(folder, "generation-*", "rows.npy"))
	require.NoError(t, err)
	require.Len(t, paths, 1)
	file, err := os.Open(paths[0])
	require.NoError(t, err)
	defer file.Close()
	array, err := dense.ReadNpy(file)
	require.NoError(t, err)
	return array.Uint8s()
}
