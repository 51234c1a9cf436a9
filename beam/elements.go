package gatherbeam

import (
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

func init() {
	for _, t := range []reflect.Type{
		reflect.TypeFor[Shard](), reflect.TypeFor[IDs](), reflect.TypeFor[Rows](), reflect.TypeFor[Part](),
	} {
		beam.RegisterType(t)
	}
}

// A Shard is some consecutive rows of a table. [ReadTable] gives a PCollection of
// Shard.
type Shard struct {
	Index int64   // the number of the shard: 0, 1, …
	Start int64   // the number that its first row has in the table
	Dtype string  // float32, float64, int32 or int64
	Shape []int64 // (n, d...)
	Data  []byte  // the rows, little-endian, the last axis fastest
}

// NewShard makes a shard from a tensor (n, d...) in any layout. It copies the elements.
func NewShard(index, start int64, rows tensor.Tensor) (Shard, error) {
	const op = "NewShard"
	if index < 0 || start < 0 {
		return Shard{}, fault.Errorf(dense.ErrShape, "%s: index %d, start %d, none may be negative", op, index, start)
	}
	dtype, shape, data, err := dataOf(op, "rows", rows)
	return Shard{Index: index, Start: start, Dtype: dtype, Shape: shape, Data: data}, err
}

// Tensor is the rows as a tensor (n, d...) of its own.
func (s Shard) Tensor() (*tensor.Dense, error) { return tensorOf(s.Dtype, s.Shape, s.Data) }

// IDs is a block of ids: some consecutive ones of the M ids of a gather or scatter.
// The blocks of a PCollection come in any order; together they have each position
// 0 … M-1 exactly once.
type IDs struct {
	Block int64  // the number of the block, different for each block
	Start int64  // the position that its first id has among all
	Dtype string // int64 or int32
	Data  []byte // the ids, little-endian
}

// NewIDs makes a block of ids from a tensor of any integer dtype, shape and layout. The
// ids are in row-major order. int32 ids stay int32, others become int64. A uint64 above
// the greatest int64 becomes the greatest int64, and is out of range.
func NewIDs(block, start int64, ids tensor.Tensor) (_ IDs, err error) {
	const op = "NewIDs"
	defer core.Recover(op, &err)
	if block < 0 || start < 0 {
		return IDs{}, fault.Errorf(dense.ErrShape, "%s: block %d, start %d, none may be negative", op, block, start)
	}
	wide, _, err := core.ReadIDs(nil, op, "ids", ids, math.MaxInt64)
	if err != nil {
		return IDs{}, err
	}
	b := IDs{Block: block, Start: start, Dtype: "int64"}
	if ids.Dtype() != tensor.Int32 {
		b.Data = append([]byte{}, num.Bytes(wide)...)
		return b, nil
	}
	narrow := make([]int32, len(wide))
	for i, id := range wide {
		narrow[i] = int32(id)
	}
	b.Dtype, b.Data = "int32", append([]byte{}, num.Bytes(narrow)...)
	return b, nil
}

// count is the number of ids.
func (b IDs) count() (int64, error) {
	width := 0
	switch b.Dtype {
	case "int64":
		width = 8
	case "int32":
		width = 4
	default:
		return 0, fault.Errorf(dense.ErrDtype, "block %d: ids of %s, allowed are int64 and int32", b.Block, fault.Name(b.Dtype))
	}
	n := len(b.Data) / width
	if n*width != len(b.Data) || n > math.MaxInt32 {
		return 0, fault.Errorf(dense.ErrShape, "block %d: %d bytes are no ids of %s, or more than %d of them", b.Block, len(b.Data), b.Dtype, math.MaxInt32)
	}
	return int64(n), nil
}

// widen is the ids as numbers.
func (b IDs) widen() ([]int64, error) {
	if _, err := b.count(); err != nil {
		return nil, err
	}
	if b.Dtype == "int64" {
		return elements[int64](b.Data), nil
	}
	narrow := elements[int32](b.Data)
	wide := make([]int64, len(narrow))
	for i, id := range narrow {
		wide[i] = int64(id)
	}
	return wide, nil
}

// Rows are a row for each id of a block, in the order of the ids. [Assemble] gives them,
// and the updates of a [ScatterND] are such rows.
type Rows struct {
	Block int64   // of the ids
	Start int64   // of the ids
	Dtype string  // float32, float64, int32 or int64
	Shape []int64 // (n, d...), n the number of ids in the block
	Data  []byte  // the rows, little-endian, the last axis fastest
}

// NewRows makes a block of rows from a tensor (n, d...) in any layout. It copies the
// elements. block and start are those of the [IDs] that the rows belong to.
func NewRows(block, start int64, rows tensor.Tensor) (Rows, error) {
	const op = "NewRows"
	if block < 0 || start < 0 {
		return Rows{}, fault.Errorf(dense.ErrShape, "%s: block %d, start %d, none may be negative", op, block, start)
	}
	dtype, shape, data, err := dataOf(op, "rows", rows)
	return Rows{Block: block, Start: start, Dtype: dtype, Shape: shape, Data: data}, err
}

// Tensor is the rows as a tensor (n, d...) of its own.
func (r Rows) Tensor() (*tensor.Dense, error) { return tensorOf(r.Dtype, r.Shape, r.Data) }

// A Part is the rows for some ids of a block, all from one shard. The parts of a block
// come in any order, and there may be several of one shard. Each position of a block
// is in exactly one part; a block without ids has one part without positions.
type Part struct {
	Block     int64   // of the ids
	Start     int64   // of the ids
	Count     int64   // how many ids the whole block has
	Positions []byte  // uint32, little-endian: which ids of the block, counted from 0
	Dtype     string  // float32, float64, int32 or int64
	Shape     []int64 // (n, d...), n the number of positions
	Data      []byte  // a row for each position, little-endian, the last axis fastest
}

// At returns the positions, counted from the first id of the block, in ascending order.
func (p Part) At() []uint32 { return elements[uint32](p.Positions) }

// Tensor is the rows as a tensor (n, d...) of its own.
func (p Part) Tensor() (*tensor.Dense, error) { return tensorOf(p.Dtype, p.Shape, p.Data) }
