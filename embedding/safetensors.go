package embedding

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/gather/internal/safetensors"
	"gorgonia.org/tensor"
)

// WithTensor names the tensor of a .safetensors file that is the table, such as
// "model.embed_tokens.weight". For [Open], whose error lists those of two axes if there
// are several and none is named.
func WithTensor(name string) TableOption { return TableOption{kind: tensorOption, name: name} }

func isSafetensors(path string) bool { return strings.HasSuffix(path, ".safetensors") }

// whyReadOnly says why a table cannot be changed.
func (t *Table) whyReadOnly() string {
	if t.file.safetensors {
		return "is for lookups only, as all .safetensors files; Quantize to Float32 copies it to memory"
	}
	return "was opened with WithReadOnly"
}

// What a U8 tensor's metadata say of rows of fewer bits: the storage, and the dims of a
// row, as in "64" or "8,64", or "" for rows of one number in a tensor of rank 1.
const (
	storageKey = "storage"
	columnsKey = "columns"
)

// metadataOf is the key of a table in a file of several.
func metadataOf(name, key string) string { return name + "." + key }

// tensorStorages are the dtypes that are storages as they are.
var tensorStorages = map[string]Storage{"F64": Float64, "F32": Float32, "F16": Float16, "BF16": BFloat16}

// openTensor opens a table in a .safetensors file.
func openTensor(path string, s settings) (*Table, error) {
	s.readOnly = true
	mapped, err := files.Open(path, true)
	if err != nil {
		return nil, err
	}
	found, storage, shape, err := findTensor(mapped.Bytes(), s.tensor)
	if err != nil {
		_ = mapped.Release(true)
		return nil, errors.WithMessage(err, path)
	}
	t := newTable(shape, storage, fileMemory(mapped, int(found.Begin), int(found.End)), s)
	t.file = &file{path: path, safetensors: true}
	return t, nil
}

// findTensor finds a tensor, and what it is as a table.
func findTensor(file []byte, name *string) (*safetensors.Tensor, Storage, tensor.Shape, error) {
	h, err := safetensors.Read(file, storageKey, columnsKey)
	if err != nil {
		return nil, 0, nil, err
	}
	var found *safetensors.Tensor
	switch {
	case name != nil:
		if found = h.Find(*name); found == nil {
			return nil, 0, nil, errors.Errorf("no tensor has the name %s; %s", fault.Name(*name), matrices(h))
		}
	case len(h.Tensors) == 1:
		found = &h.Tensors[0]
	default:
		return nil, 0, nil, fault.Errorf(dense.ErrOption, "%d tensors, name one by WithTensor; %s", len(h.Tensors), matrices(h))
	}
	about := h.Metadata
	if found.Dtype == "U8" {
		// In a file of several tables each has its own.
		own, err := safetensors.Read(file, metadataOf(found.Name, storageKey), metadataOf(found.Name, columnsKey))
		if err != nil {
			return nil, 0, nil, err
		}
		for _, key := range []string{storageKey, columnsKey} {
			if text, there := own.Metadata[metadataOf(found.Name, key)]; there {
				about[key] = text
			}
		}
	}
	storage, shape, err := tableOf(found, about)
	return found, storage, shape, errors.WithMessagef(err, "tensor %s", fault.Name(found.Name))
}

// matrices lists the tensors that may be tables.
func matrices(h *safetensors.Header) string {
	var names []string
	for _, t := range h.Tensors {
		if len(t.Shape) == 2 {
			names = append(names, t.Name)
		}
	}
	return "those of rank 2 are " + list(names)
}

// tableOf is what a tensor is as a table.
func tableOf(t *safetensors.Tensor, metadata map[string]string) (Storage, tensor.Shape, error) {
	if len(t.Shape) == 0 {
		return 0, nil, fault.Errorf(dense.ErrShape, "it is a scalar, rows are needed")
	}
	if s, ok := tensorStorages[t.Dtype]; ok {
		return s, t.Shape, checkRow(t.Shape)
	}
	name := metadata[storageKey]
	s, bits := map[string]Storage{"int8": Int8, "int4": Int4}[name]
	if t.Dtype != "U8" || !bits {
		return 0, nil, fault.Errorf(dense.ErrDtype, "elements are %s, allowed are F64, F32, F16, BF16, and U8 if the metadata have the %s int8 or int4, as WriteFile writes it",
			fault.Name(t.Dtype), storageKey)
	}
	shape := tensor.Shape{t.Shape[0]}
	if text, there := metadata[columnsKey]; text != "" || !there { // "" is that of rank 1
		for _, dim := range strings.Split(text, ",") {
			n, err := strconv.Atoi(dim)
			if err != nil || n < 0 {
				return 0, nil, fault.Errorf(dense.ErrShape, "the metadata have %s for the %s of a row of %s, whole numbers from 0 on are needed", fault.Name(text), columnsKey, name)
			}
			shape = append(shape, n)
		}
	}
	if err := checkRow(shape); err != nil {
		return 0, nil, err
	}
	columns := shape[1:].TotalSize()
	if len(t.Shape) != 2 || t.Shape[1] != s.RowBytes(columns) {
		return 0, nil, fault.Errorf(dense.ErrShape, "it has shape %v, rows of %d numbers of %s have %d bytes", fault.Shape(t.Shape), columns, name, s.RowBytes(columns))
	}
	return s, shape, nil
}

// tensor is the tensor that the table is in a .safetensors file, at its beginning, and the
// metadata that it needs.
func (t *Table) tensor(name string) (safetensors.Tensor, map[string]string, error) {
	s := safetensors.Tensor{Name: name, Dtype: "U8", Shape: []int{t.rows, t.storage.RowBytes(t.inner)}, End: int64(len(t.memory.bytes))}
	if err := checkRow(t.shape); err != nil {
		return s, nil, err
	}
	for dtype, storage := range tensorStorages {
		if storage == t.storage {
			s.Dtype, s.Shape = dtype, t.shape
			return s, nil, nil
		}
	}
	columns := strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(t.shape[1:])), " ", ","), "[]")
	return s, map[string]string{storageKey: strings.ToLower(t.storage.String()), columnsKey: columns}, nil
}

// tensorHeader is the header of a .safetensors file of the table, whose tensor is named
// as the weights of PyTorch's Embedding are.
func (t *Table) tensorHeader(alignment int) ([]byte, error) {
	tensor, about, err := t.tensor("weight")
	if err != nil {
		return nil, err
	}
	if about == nil {
		about = map[string]string{"format": "pt"}
	}
	return safetensors.Encode([]safetensors.Tensor{tensor}, about, alignment)
}
