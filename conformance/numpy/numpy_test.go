package numpy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// python runs the other side in a folder and returns the names that it prints.
func python(t *testing.T, what, folder string) []string {
	t.Helper()
	interpreter := os.Getenv("NUMPY_PYTHON")
	if interpreter == "" {
		t.Skip("NUMPY_PYTHON is not the path of a Python with NumPy")
	}
	script := exec.Command(interpreter, "exchange.py", what, folder)
	script.Stderr = os.Stderr
	out, err := script.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func formula(columns int) embedding.Init {
	return embedding.FromRows(func(r int, row []float64) {
		for c := range row {
			row[c] = 1.5*float64(r) + float64(c)/8 - 3
		}
	})
}

var dtypes = map[string]tensor.Dtype{"float32": tensor.Float32, "float64": tensor.Float64}

// TestNumPyReads lets NumPy load and map what Create and Save write.
func TestNumPyReads(t *testing.T) {
	folder := t.TempDir()
	created, saved := filepath.Join(folder, "created"), filepath.Join(folder, "saved")
	require.NoError(t, os.Mkdir(created, 0o777))
	tables := map[string]*embedding.Table{}
	for name, dt := range dtypes {
		for _, shape := range [][2]int{{1, 1}, {5, 3}, {0, 3}, {300, 64}, {5000, 7}} {
			file := fmt.Sprintf("%dx%d_%s", shape[0], shape[1], name)
			table, err := embedding.Create(filepath.Join(created, file+".npy"), dt, shape[0], shape[1], formula(shape[1]))
			require.NoError(t, err)
			defer func() { require.NoError(t, table.Close()) }()
			tables[file] = table
		}
	}
	require.NoError(t, embedding.Save(saved, tables, nil))
	assert.Len(t, python(t, "read", folder), 2*len(tables))
}

// TestGoReads opens what NumPy writes. A file that does not fit is named by what
// its error has to say.
func TestGoReads(t *testing.T) {
	folder := t.TempDir()
	fits, others := 0, 0
	for _, name := range python(t, "write", folder) {
		path := filepath.Join(folder, name)
		if !strings.HasPrefix(name, "fits_") {
			others++
			_, err := embedding.Open(path)
			assert.ErrorContains(t, err, strings.TrimSuffix(name, ".npy"))
			continue
		}
		fits++
		parts := strings.Split(name, "_")
		shape := tensor.Shape{}
		for _, n := range strings.Split(parts[1], "x") {
			size, err := strconv.Atoi(n)
			require.NoError(t, err)
			shape = append(shape, size)
		}
		for _, options := range [][]embedding.TableOption{nil, {embedding.WithReadOnly()}} {
			table, err := embedding.Open(path, options...)
			require.NoError(t, err, name)
			assert.Equal(t, dtypes[parts[2]], table.Dtype(), name)
			require.Equal(t, shape, table.Shape(), name)
			weights, err := table.Weights()
			require.NoError(t, err)
			columns := 1
			for _, n := range shape[1:] {
				columns *= n
			}
			for i := range shape.TotalSize() {
				want, got := 1.5*float64(i/columns)+float64(i%columns)/8-3, 0.0
				if table.Dtype() == tensor.Float32 {
					got = float64(weights.Float32s()[i])
				} else {
					got = weights.Float64s()[i]
				}
				require.Equal(t, want, got, "%s: number %d", name, i)
			}
			require.NoError(t, table.Close())
		}
	}
	assert.Equal(t, 44, fits)
	assert.Equal(t, 17, others)
}
