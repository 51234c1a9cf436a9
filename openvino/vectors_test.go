package openvino

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/tensor"
)

// A vector is a case that OpenVINO's CPU device has answered. The files of them
// in testdata/vectors are made by conformance/openvino/generate.py.
type vector struct {
	What   string // what is special, or "random" for a case without surprise
	Layer  string // as IR text, which OpenVINO and ReadLayers have both read
	Inputs []stored
	Output *stored
	Error  string
}

// stored is a tensor of a vector.
type stored struct {
	Type    string
	Shape   []int
	Data    []byte // little-endian; base64 in the file
	Strings []string
}

// vectorFile is one file: the operator's version and its vectors.
type vectorFile struct {
	Operator string
	OpenVINO string
	Cases    int
	vectors  []vector
}

func readVectors(t *testing.T, path string) vectorFile {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	var file vectorFile
	require.True(t, lines.Scan())
	require.NoError(t, json.Unmarshal(lines.Bytes(), &file))
	for lines.Scan() {
		var v vector
		require.NoError(t, json.Unmarshal(lines.Bytes(), &v))
		file.vectors = append(file.vectors, v)
	}
	require.NoError(t, lines.Err())
	require.Len(t, file.vectors, file.Cases)
	return file
}

// TestVectors replays what OpenVINO answered, through Eval and through Apply on
// a TapeMachine. Where an answer is not ours, the case must be among the
// differences, and where it is ours it must not be.
func TestVectors(t *testing.T) {
	paths, err := filepath.Glob("testdata/vectors/*.jsonl.gz")
	require.NoError(t, err)
	rows := 0
	for _, row := range versions {
		rows += len(row)
	}
	require.Len(t, paths, rows, "one file for each version of each operator")

	unmet := map[key]bool{}
	for k := range differences {
		unmet[k] = true
	}
	for _, path := range paths {
		file := readVectors(t, path)
		t.Run(file.Operator, func(t *testing.T) {
			require.GreaterOrEqual(t, len(file.vectors), 100)
			for i, v := range file.vectors {
				k := key{file.Operator, v.What}
				delete(unmet, k)
				if v.What == "random" && !turns.Case(2, i) {
					continue
				}
				t.Run(fmt.Sprintf("%d %s", i, v.What), func(t *testing.T) { replay(t, file, v, differences[k]) })
			}
		})
	}
	assert.Empty(t, unmet, "listed as differences, but no vector is about them")
}

// replay compares one vector, which differs as d says.
func replay(t *testing.T, file vectorFile, v vector, d difference) {
	layers, err := ReadLayers(strings.NewReader(v.Layer))
	if v.What == "opset0" {
		assert.ErrorContains(t, err, `version "opset0", opset1 to opset17 are allowed`)
		assert.NotEmpty(t, v.Error, "OpenVINO refuses it, too")
		return
	}
	require.NoError(t, err)
	require.Len(t, layers, 1)
	l := layers[0]
	require.Equal(t, file.Operator, l.Name)
	l.Release = file.OpenVINO
	if d.how == otherShape {
		l.Outputs = nil // it would make ours an error
	}
	inputs := make([]*tensor.Dense, len(v.Inputs))
	for i, s := range v.Inputs {
		inputs[i] = s.dense()
	}
	got, err := both(t, l, inputs...)
	assert.Equal(t, d.how, compare(v, got, err), "reason listed: %q\n%s\nours: %v, error %v\ntheirs: %v, error %q",
		d.reason, v.Layer, got, err, v.Output, v.Error)
}

// compare tells how an answer of ours differs from OpenVINO's.
func compare(v vector, got *tensor.Dense, err error) how {
	switch {
	case err != nil && v.Error != "":
		return same
	case err != nil:
		return refusedHere
	case v.Error != "":
		return refusedThere
	}
	want := v.Output.dense()
	switch {
	case want.Dtype() != got.Dtype() || !reflect.DeepEqual(v.Output.Shape, append([]int{}, got.Shape()...)):
		return otherShape
	case !reflect.DeepEqual(memory(want), memory(got)) && !equalWithNaN(want, got):
		return otherValue
	}
	return same
}

// equalWithNaN compares tensors of float32, of which any NaN equals any other.
func equalWithNaN(a, b *tensor.Dense) bool {
	x, isFloat := a.Data().([]float32)
	if !isFloat {
		return false
	}
	for i, y := range b.Data().([]float32) {
		if x[i] != y && !(math.IsNaN(float64(x[i])) && math.IsNaN(float64(y))) {
			return false
		}
	}
	return true
}

// dense is the stored tensor.
func (s *stored) dense() *tensor.Dense {
	if s.Type == "string" {
		return of(s.Strings, s.Shape...)
	}
	for dt, name := range typeNames {
		if name != s.Type {
			continue
		}
		n := tensor.Shape(s.Shape).TotalSize()
		values := reflect.MakeSlice(reflect.SliceOf(dt.Type), n, n).Interface()
		if err := binary.Read(bytes.NewReader(s.Data), binary.LittleEndian, values); err != nil && n > 0 {
			panic(errors.Wrapf(err, "%s %v of %d bytes: %s", s.Type, s.Shape, len(s.Data), base64.StdEncoding.EncodeToString(s.Data)))
		}
		return of(values, s.Shape...)
	}
	panic("no dtype " + s.Type)
}
