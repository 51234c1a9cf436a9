package torch

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"
)

// array is a tensor of the vectors. A NaN is null there.
type array struct {
	Shape  []int
	Values []*float64
}

// floats returns the values, NaNs included.
func (a *array) floats() []float64 {
	xs := make([]float64, len(a.Values))
	for i, x := range a.Values {
		xs[i] = math.NaN()
		if x != nil {
			xs[i] = *x
		}
	}
	return xs
}

// integers returns the values of an index tensor.
func (a *array) integers() []int64 {
	xs := make([]int64, len(a.Values))
	for i, x := range a.Values {
		xs[i] = int64(*x)
	}
	return xs
}

// dense returns the tensor in float64, or in int64 where index is set.
func (a *array) dense(index bool) *tensor.Dense {
	var backing any = a.floats()
	if index {
		backing = a.integers()
	}
	if len(a.Shape) > 0 {
		return tensor.New(tensor.WithShape(a.Shape...), tensor.WithBacking(backing))
	}
	if index {
		return tensor.New(tensor.FromScalar(a.integers()[0]))
	}
	return tensor.New(tensor.FromScalar(a.floats()[0]))
}

// vector is one call of PyTorch: with y = op(data, indices, updates) it holds y and the gradients of sum(y * cotangent).
type vector struct {
	Op          string
	Reduce      string
	IncludeSelf bool `json:"include_self"`
	Axis        int
	Data        *array
	Indices     *array
	Updates     *array
	Out         *array
	Cotangent   *array
	DData       *array
	DUpdates    *array
}

// header is the first line of the vectors.
type header struct {
	Torch string
	Seed  int
}

// read returns the vectors of a committed file, and its first line.
func read[V any](t *testing.T, file string) (header, []*V) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	var h header
	require.True(t, lines.Scan())
	require.NoError(t, json.Unmarshal(lines.Bytes(), &h))
	var vectors []*V
	for lines.Scan() {
		v := new(V)
		require.NoError(t, json.Unmarshal(lines.Bytes(), v))
		vectors = append(vectors, v)
	}
	require.NoError(t, lines.Err())
	return h, vectors
}
