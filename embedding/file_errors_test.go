//go:build linux || darwin

package embedding_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/tensor"
)

// npyFile writes a file with this header and so many bytes of data.
func npyFile(t *testing.T, version byte, header string, data int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "items.npy")
	file := "\x93NUMPY" + string([]byte{version, 0})
	if version == 1 {
		file += string(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	} else {
		file += string(binary.LittleEndian.AppendUint32(nil, uint32(len(header))))
	}
	file += header + strings.Repeat("\x00", data)
	ok(t, os.WriteFile(path, []byte(file), 0o666))
	return path
}

// padded is a header that NumPy could have written, of a length at which the data
// are aligned.
func padded(text string, version byte) string {
	lead := 10
	if version == 2 {
		lead = 12
	}
	for (lead+len(text)+1)%64 != 0 {
		text += " "
	}
	return text + "\n"
}

// TestOpenForeignFiles opens what others have written: what fits is a table, and what does
// not is an error that says why.
func TestOpenForeignFiles(t *testing.T) {
	for _, version := range []byte{1, 2} {
		path := npyFile(t, version, padded("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2, 2), }", version), 96)
		table, err := embedding.Open(path)
		ok(t, err)
		if !table.Shape().Eq(tensor.Shape{3, 2, 2}) || table.Dtype() != tensor.Float64 {
			t.Errorf("shape %v, dtype %v", table.Shape(), table.Dtype())
		}
		ok(t, table.Close())
	}
	empty := npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2), }", 1), 0)
	table, err := embedding.Open(empty)
	ok(t, err)
	ok(t, table.Close())

	text := filepath.Join(t.TempDir(), "ratings.csv")
	ok(t, os.WriteFile(text, []byte("userId,movieId,rating\n"), 0o666))
	readOnly := npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", 1), 24)
	ok(t, os.Chmod(readOnly, 0o444))
	for name, c := range map[string]struct{ path, text string }{
		"missing":         {filepath.Join(t.TempDir(), "no.npy"), "no such file or directory; Create makes a new table"},
		"no name":         {"", "the file's name is empty"},
		"a folder":        {t.TempDir(), "no regular file"},
		"text":            {text, "no .npy file"},
		"truncated":       {npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", 1), 23), "promises 24 bytes of data, it has 23"},
		"longer":          {npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", 1), 25), "goes on for 1 bytes"},
		"big-endian":      {npyFile(t, 1, padded("{'descr': '>f4', 'fortran_order': False, 'shape': (3, 2), }", 1), 24), "big-endian float32"},
		"Fortran's order": {npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", 1), 24), "Fortran's order"},
		"integers":        {npyFile(t, 1, padded("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }", 1), 24), "elements are int32, allowed are float16, float32 and float64"},
		"a scalar":        {npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 1), 4), "holds a scalar"},
		"version 3.0":     {npyFile(t, 3, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 2), 4), "version 3.0"},
		"not aligned":     {npyFile(t, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)} \n", 24), "a multiple of 4 is needed"},
		"huge":            {npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (9000000000000000000, 9), }", 1), 24), "memory"},
		"read-only":       {readOnly, "WithReadOnly opens it for lookups only"},
	} {
		table, err := embedding.Open(c.path)
		if table != nil || err == nil || !strings.HasPrefix(err.Error(), "Open: ") || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %s", name, err, c.text)
		}
	}
	if _, err := embedding.Open(npyFile(t, 1, padded("{'descr': '<i8', 'fortran_order': False, 'shape': (3, 2), }", 1), 48)); !errors.Is(err, dense.ErrDtype) {
		t.Errorf("integers: error %v", err)
	}
	if _, err := embedding.Open(readOnly); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("read-only: error %v", err)
	}
}

// TestCreateRefuses leaves no file where it is an error.
func TestCreateRefuses(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "items.npy")
	zeros := embedding.Zeros()
	most := math.MaxInt >> 8 // times 16 bytes: more than any disk has
	if math.MaxInt == math.MaxInt32 {
		most = math.MaxInt >> 3 // more than can be mapped
	}
	for name, c := range map[string]struct {
		err error
		is  error
	}{
		"dtype":         {second(embedding.Create(path, tensor.Int64, 3, 2, zeros)), dense.ErrDtype},
		"no dtype":      {second(embedding.Create(path, tensor.Dtype{}, 3, 2, zeros)), dense.ErrDtype},
		"rows":          {second(embedding.Create(path, tensor.Float32, -1, 2, zeros)), dense.ErrShape},
		"dim":           {second(embedding.Create(path, tensor.Float32, 3, -2, zeros)), dense.ErrShape},
		"size":          {second(embedding.Create(path, tensor.Float32, math.MaxInt, math.MaxInt, zeros)), dense.ErrShape},
		"init":          {second(embedding.Create(path, tensor.Float32, 3, 2, embedding.FromRows(nil))), dense.ErrOption},
		"option":        {second(embedding.Create(path, tensor.Float32, 3, 2, zeros, embedding.WithReadOnly())), dense.ErrOption},
		"make readonly": {second(embedding.Make(tensor.Float32, 3, 2, zeros, embedding.WithReadOnly())), dense.ErrOption},
		"no folder":     {second(embedding.Create(filepath.Join(folder, "no", "items.npy"), tensor.Float32, 3, 2, zeros)), fs.ErrNotExist},
		"no name":       {second(embedding.Create("", tensor.Float32, 3, 2, zeros)), nil},
		"no disk":       {second(embedding.Create(path, tensor.Float32, most, 4, zeros)), nil},
		"panic": {second(embedding.Create(path, tensor.Float32, 3, 2, embedding.FromRows(func(int, []float64) { panic("sorry") }))),
			nil},
	} {
		if c.err == nil || c.is != nil && !errors.Is(c.err, c.is) {
			t.Errorf("%s: error %v, want %v", name, c.err, c.is)
		}
	}
	entries, err := os.ReadDir(folder)
	ok(t, err)
	if len(entries) > 0 {
		t.Errorf("there are %v", entries)
	}
	table, err := embedding.Create(path, tensor.Float32, 3, 2, zeros)
	ok(t, err)
	ok(t, newAdam(t).Update(table, vector(int64(1)), matrix(1, 2, float32(10), 20)))
	refused(t, second(embedding.Create(path, tensor.Float32, 3, 2, zeros)), fs.ErrExist, "Create: ", "Open opens this one: file already exists")
	refused(t, table.WriteFile(path), fs.ErrExist, "WriteFile: ", "needs another name")
	refused(t, second(embedding.Open(path)), files.ErrLocked, "Open: ", "in use", "; WithReadOnly opens it for lookups only")
	ok(t, table.Close())
	ok(t, os.Remove(path))
	_, err = embedding.Create(path, tensor.Float32, 3, 2, zeros)
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "items.npy.adam has the states of an optimiser for an older table") {
		t.Errorf("states of an older table: error %v", err)
	}
}

// TestReadOnlyFileSystem: what cannot be opened for writing there says how it can be opened.
func TestReadOnlyFileSystem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "items.npy")
	table, err := embedding.Create(path, tensor.Float32, 3, 5, embedding.Zeros())
	ok(t, err)
	ok(t, table.Close())
	defer files.Intercept(func(name, of string, do func() error) error {
		if name == "open" && of == path {
			return &fs.PathError{Op: "open", Path: path, Err: syscall.EROFS}
		}
		return do()
	})()
	if _, err = embedding.Open(path); !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), "WithReadOnly opens it") {
		t.Error(err)
	}
}
