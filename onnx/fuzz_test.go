package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// seed adds the files that match, and cut and spoilt versions of them.
func seed(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(b)
		f.Add(b[:len(b)*2/3])
	}
}

// budget bounds what a read may allocate: some multiple of the file, and what
// the runtime itself needs.
func budget(file []byte) uint64 { return uint64(1<<20 + 256*len(file)) }

// allocated is how many bytes f allocated.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func FuzzReadTensor(f *testing.F) {
	seed(f, "testdata/tensors/*.pb")
	f.Add([]byte(int64Message("", []int64{1 << 40, 1 << 20}, 1)))
	f.Add([]byte(tensorMessage("", 14, 2).fixed32(4, 1).bytes(4, make([]byte, 12))))
	f.Fuzz(func(t *testing.T, file []byte) {
		var d *tensor.Dense
		var err error
		used := allocated(func() { d, err = ReadTensor(bytes.NewReader(file)) })
		assert.LessOrEqual(t, used, budget(file))
		if err != nil {
			assert.Nil(t, d)
			return
		}
		assert.Equal(t, d.Shape().TotalSize(), d.Len(), "shape %v", d.Shape())
		again, err := ReadTensor(bytes.NewReader(file))
		require.NoError(t, err)
		assert.Equal(t, d.Shape(), again.Shape())
		assert.True(t, d.Dtype() == again.Dtype())
	})
}

func FuzzReadModel(f *testing.F) {
	seed(f, "testdata/*.onnx")
	f.Add([]byte(modelMessage(13, lookup())))
	f.Fuzz(func(t *testing.T, file []byte) {
		var built *Graph
		var err error
		g := gorgonia.NewGraph()
		used := allocated(func() {
			var m *Model
			if m, err = ReadModel(bytes.NewReader(file)); err != nil {
				return
			}
			for _, v := range m.Inputs() {
				for d, n := range v.Shape {
					if n < 0 {
						v.Shape[d] = 2
					}
				}
				if v.Shape != nil {
					err = m.SetInputShape(v.Name, v.Shape...)
					require.NoError(t, err)
				}
			}
			built, err = m.Build(g)
		})
		assert.LessOrEqual(t, used, budget(file))
		if err != nil {
			return
		}
		for _, in := range built.Inputs {
			if size := in.Node.Shape().TotalSize(); size < 0 || size > 1000 {
				return // too large to be run
			}
			require.NoError(t, built.Let(in.Name, sample(in.Node.Dtype(), in.Node.Shape()...)))
		}
		for _, n := range g.AllNodes() {
			if size := n.Shape().TotalSize(); size < 0 || size > 1_000_000 {
				return
			}
		}
		machine := gorgonia.NewTapeMachine(g)
		defer machine.Close()
		if err := machine.RunAll(); err != nil {
			return // an index out of range
		}
		for _, out := range built.Outputs {
			_, err := built.Value(out.Name)
			assert.NoError(t, err)
		}
	})
}
