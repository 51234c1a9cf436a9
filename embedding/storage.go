package embedding

import (
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/npy"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/quant"
	"gorgonia.org/tensor"
)

// Storage is how the numbers of a table are stored: as float64 or float32, in which
// tables are trained, or in fewer bits, which lookups turn into float32.
//
//	storage    bytes of a row of d numbers    q·scale + offset
//	Float64    8d
//	Float32    4d
//	Float16    2d
//	BFloat16   2d
//	Int8       d + 8                          q from 0 to 255, scale and offset float32
//	Int4       d/2 + 4                        q from 0 to 15, scale and offset float16
//
// Rows of Int8 and Int4 are, byte for byte, those of PyTorch's
// quantized.embedding_bag_byte_prepack and embedding_bag_4bit_prepack: the numbers, then
// scale and offset, little-endian. An even column of Int4 is in the low half of a byte;
// of an odd number of columns the last half is 0.
type Storage = quant.Storage

// The storages.
const (
	Float64  = quant.Float64
	Float32  = quant.Float32
	Float16  = quant.Float16
	BFloat16 = quant.BFloat16
	Int8     = quant.Int8
	Int4     = quant.Int4
)

// Storage is how the table's numbers are stored.
func (t *Table) Storage() Storage {
	if t == nil {
		return 0
	}
	return t.storage
}

// Quantize makes a new table in memory, with the rows of this one in another storage.
// Its ids mean what they mean here, unless options say otherwise. What lookups give is of
// float64 where the storage is Float64, else of float32.
//
// Float16 and BFloat16 are rounded to the nearest, ties to even. With lo and hi the least
// and the greatest number of a row x, all in float32, Int8 has
//
//	scale = (hi - lo) / 255, offset = lo, q[c] = round((x[c] - lo) · (255 / ((hi - lo) + 1e-8)))
//
// so that a number is about scale/2 or less from what it was if hi - lo is above 1e-5, and in narrower
// rows, because of the 1e-8, which is PyTorch's, up to hi - lo, and Int4, with float16(·) for a
// number rounded to it, and with the scale 1 where this one is 0,
//
//	offset = float16(lo), scale = float16((hi - offset) / 15), q[c] = round((x[c] - offset) / scale) in [0, 15]
//
// Numbers of float64 are rounded to float32 first. The new table cannot be stepped,
// unless its storage is Float32 or Float64, and has no Weights then.
//
// NaN, infinities, numbers beyond the range of the storage, ±65504 of Float16 and Int4,
// and rows of Int8 whose hi - lo float32 does not hold are errors that name row and
// column. Other errors: [dense.ErrOption], [dense.ErrShape].
func (t *Table) Quantize(s Storage, opts ...TableOption) (_ *Table, err error) {
	const op = "Quantize"
	if err := t.made(op); err != nil {
		return nil, err
	}
	defer core.Recover(op, &err)
	given, err := settings{ids: t.ids}.with(op, opts)
	if err != nil {
		return nil, err
	}
	if s >= quant.Storages {
		return nil, fault.Errorf(dense.ErrOption, "%s: storage %d, allowed are Float64, Float32, Float16, BFloat16, Int8 and Int4", op, s)
	}
	if err := checkRow(t.shape); err != nil {
		return nil, errors.WithMessage(err, op)
	}
	size := s.Bytes(t.rows, t.inner)
	if size != 0 {
		if err := checkEmptyRows(op, "scales", t.shape); err != nil {
			return nil, err
		}
	}
	if size < 0 {
		return nil, fault.Errorf(dense.ErrShape, "%s: a table of shape %v is larger than any memory", op, fault.Shape(t.shape))
	}
	if err := core.Fits(op, "a table", tensor.Shape{size}, tensor.Uint8); err != nil {
		return nil, err
	}
	mem, err := allocate(size)
	if err != nil {
		return nil, errors.WithMessage(err, op)
	}
	to := newTable(t.shape, s, mem, given)
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return nil, errClosed(op)
	}
	from, stored := t.stored(), to.stored()
	if s == t.storage {
		t.memory.copyTo(mem.bytes)
		return to, nil
	}
	rows, read := 0, 0
	for block := range t.memory.blocks {
		read += len(block)
		if _, err = from.Convert(&stored, rows, read/t.rowBytes()); err != nil {
			break
		}
		rows = read / t.rowBytes()
	}
	if err == nil && t.inner == 0 && len(mem.bytes) > 0 { // there are no blocks, and scales
		_, err = from.Convert(&stored, 0, t.rows)
	}
	if err != nil {
		_ = mem.free()
		return nil, errors.WithMessage(err, op)
	}
	return to, nil
}

// stored describes the rows to package quant.
func (t *Table) stored() quant.Rows {
	return quant.Rows{Storage: t.storage, Columns: t.inner, Bytes: t.memory.bytes}
}

// isNumbers reports whether the rows lie in memory as numbers of the table's dtype, which
// an optimiser can change and a tensor can have. In a file they may lie anywhere.
func (t *Table) isNumbers() bool {
	width := t.kind.Width()
	return t.storage.RowBytes(1) == width && address(t.memory.bytes)%uintptr(width) == 0
}

// refuseStored is an error for rows that are not numbers.
func (t *Table) refuseStored(op, instead string) error {
	switch {
	case t.isNumbers():
		return nil
	case t.storage == Float32 || t.storage == Float64:
		return errors.Errorf("%s: the rows begin at an address that is no multiple of the size of a number; %s", op, instead)
	}
	return errors.Errorf("%s: the table's storage is %v; %s", op, t.storage, instead)
}

// storageOf is that of numbers of a kind: float32 or float64.
func storageOf(kind num.Kind) Storage {
	if kind == num.Float32 {
		return Float32
	}
	return Float64
}

// array is what a file of a checkpoint holds of the rows, and its name of the storage.
// NumPy has no bfloat16, and no numbers with a scale.
func (t *Table) array() (header npy.Header, storage string) {
	storage = strings.ToLower(t.storage.String())
	switch t.storage {
	case Float16:
		return npy.Header{Kind: num.Float16, Shape: t.shape}, storage
	case BFloat16:
		return npy.Header{Kind: num.Uint16, Shape: t.shape}, storage
	case Int8, Int4:
		return npy.Header{Kind: num.Uint8, Shape: []int{t.rows, t.storage.RowBytes(t.inner)}}, storage
	}
	return npy.Header{Kind: t.kind, Shape: t.shape}, storage
}
