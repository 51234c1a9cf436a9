package embedding

import (
	"sync"
	"sync/atomic"
	"weak"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// A Table is rows of numbers that lookups read and optimisers change. It is
// outside of graphs, and any number of graphs may have lookups of it: lookups run in
// parallel, and a step waits until they are done.
//
// [New] and [Make] make a table in memory, [Create] and [Open] one in a file.
type Table struct {
	mu     sync.RWMutex
	number uint64 // tables are locked in this order
	closed bool

	shape       tensor.Shape // (rows, d...)
	dtype       tensor.Dtype
	kind        num.Kind // of the dtype
	storage     Storage
	rows, inner int
	memory      *memory
	ahead       [1]ahead      // of lookups
	changes     uint64        // how often a step or a Load has changed rows
	file        *file         // nil: in none
	weights     *tensor.Dense // nil: nobody has asked for it yet
	states      map[weak.Pointer[optimizer]]*state
	settings
}

// settings are what TableOptions set.
type settings struct {
	ids      plan.Settings // padding, and what ids may be
	readOnly bool
	tensor   *string // of a file, by its name
}

// A TableOption says how a table takes ids.
type TableOption struct {
	kind       optionKind
	id         int64
	outOfRange dense.OutOfRange
	name       string
}

type optionKind uint8

const (
	noOption optionKind = iota // the zero TableOption
	paddingOption
	outOfRangeOption
	nonNegativeOption
	readOnlyOption
	tensorOption
)

// WithPadding chooses an id that has no row. A lookup gives zeros for it; a bag skips it,
// and its mean does not count it; a step changes nothing for it. The id is compared
// before negative ids are resolved: with WithPadding(-1) the last row still has the id
// rows-1, and with WithPadding(0) row 0 is never looked up.
func WithPadding(id int64) TableOption { return TableOption{kind: paddingOption, id: id} }

// WithOutOfRange chooses what is done with an id that is out of range: by default,
// [dense.Reject], it is an [*dense.IndexError]. With [dense.ZeroFill] it is as if it
// were the padding.
func WithOutOfRange(m dense.OutOfRange) TableOption {
	return TableOption{kind: outOfRangeOption, outOfRange: m}
}

// WithNonNegativeIDs makes negative ids out of range. By default they count from
// the end: -1 is the last row.
func WithNonNegativeIDs() TableOption { return TableOption{kind: nonNegativeOption} }

// with is the settings with the options.
func (s settings) with(op string, opts []TableOption) (settings, error) {
	padded, padding, outOfRange, nonNegative := s.ids.Padded, s.ids.Padding, s.ids.OutOfRange, s.ids.NonNegative
	readOnly, name := s.readOnly, s.tensor
	for i, o := range opts {
		switch o.kind {
		case paddingOption:
			padded, padding = true, o.id
		case outOfRangeOption:
			if o.outOfRange != dense.Reject && o.outOfRange != dense.ZeroFill {
				return s, fault.Errorf(dense.ErrOption, "%s: option %d: WithOutOfRange(%v), allowed are Reject and ZeroFill", op, i, o.outOfRange)
			}
			outOfRange = o.outOfRange
		case nonNegativeOption:
			nonNegative = true
		case readOnlyOption:
			if op != "Open" {
				return s, fault.Errorf(dense.ErrOption, "%s: option %d: WithReadOnly is for Open, a new table has nothing to read", op, i)
			}
			readOnly = true
		case tensorOption:
			if op != "Open" {
				return s, fault.Errorf(dense.ErrOption, "%s: option %d: WithTensor is for Open, a new table has nothing to read", op, i)
			}
			name = &opts[i].name
		default:
			return s, fault.Errorf(dense.ErrOption, "%s: option %d is the zero TableOption, which is none", op, i)
		}
	}
	ids := plan.Settings{Padded: padded, Padding: padding, OutOfRange: outOfRange, NonNegative: nonNegative}
	return settings{ids, readOnly, name}, nil
}

// New makes a table of the rows of a tensor, (rows, d...), float32 or float64, in
// row-major order without gaps. A tensor of rank 1 has rows of one number. The
// table uses the tensor's memory: steps change the tensor.
//
// Errors: [dense.ErrShape], [dense.ErrDtype], [dense.ErrLayout], [dense.ErrOption].
func New(weights *tensor.Dense, opts ...TableOption) (_ *Table, err error) {
	const op = "New"
	defer core.Recover(op, &err)
	s, err := settings{}.with(op, opts)
	if err != nil {
		return nil, err
	}
	mem, kind, err := core.Own(op, "weights", weights)
	if err != nil {
		return nil, err
	}
	t := newTable(weights.Shape().Clone(), storageOf(kind), &memory{bytes: mem}, s)
	t.weights = weights
	return t, nil
}

// Make makes a table of rows × dim numbers, float32 or float64, with memory of its
// own.
//
// On Linux the memory of a table of 16 MiB or more is outside of Go's heap, in huge pages
// if the system grants them: lookups in a large table are 1.4 to 1.8 times as fast there.
// It is freed by [Table.Close], or when the table is not reachable any more; but if
// [Table.Weights] has been called it is kept until the process ends, as a tensor does not
// keep such memory alive. Elsewhere it is ordinary memory.
//
// Errors: [dense.ErrShape], [dense.ErrDtype], [dense.ErrOption].
func Make(dt tensor.Dtype, rows, dim int, init Init, opts ...TableOption) (_ *Table, err error) {
	const op = "Make"
	defer core.Recover(op, &err)
	s, err := settings{}.with(op, opts)
	if err != nil {
		return nil, err
	}
	shape, kind, err := checkMade(op, dt, rows, dim, init)
	if err != nil {
		return nil, err
	}
	if err := core.Fits(op, "a table", shape, dt); err != nil {
		return nil, err
	}
	if init.kind == fromRows { // which writes to a row of float64
		if err := core.Fits(op, "a row of FromRows", tensor.Shape{min(rows, 1), dim}, tensor.Float64); err != nil {
			return nil, err
		}
	}
	mem, err := allocate(rows * dim * int(dt.Size()))
	if err != nil {
		return nil, errors.WithMessage(err, op)
	}
	t := newTable(shape, storageOf(kind), mem, s)
	init.fill(t)
	return t, nil
}

// tables counts them.
var tables atomic.Uint64

func newTable(shape tensor.Shape, storage Storage, mem *memory, s settings) *Table {
	kind, dt := storage.Kind(), tensor.Float32
	if kind == num.Float64 {
		dt = tensor.Float64
	}
	return &Table{number: tables.Add(1), shape: shape, dtype: dt, kind: kind, storage: storage, rows: shape[0], inner: shape[1:].TotalSize(), memory: mem, settings: s}
}

// Shape is the shape of the table, (rows, d...).
func (t *Table) Shape() tensor.Shape {
	if t == nil {
		return nil
	}
	return t.shape.Clone()
}

// Dtype is the dtype of what lookups give, float32 or float64.
func (t *Table) Dtype() tensor.Dtype {
	if t == nil {
		return tensor.Dtype{}
	}
	return t.dtype
}

// Weights is the rows, (rows, d...), as a tensor on the table's memory: steps change
// it, and lookups read what is written to it. Do not read or write it while a step runs.
// It is an error for a table of another storage than Float32 and Float64: see
// [Table.Rows]. Rows of a file that are not in memory are read page by page: see
// [Table.Prefetch].
func (t *Table) Weights() (*tensor.Dense, error) {
	const op = "Weights"
	if err := t.made(op); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, errClosed(op)
	}
	if t.weights == nil {
		if err := t.refuseStored(op, "Rows looks rows up as float32 or float64"); err != nil {
			return nil, err
		}
		if err := t.memory.writable(); err != nil {
			return nil, errors.WithMessage(err, op)
		}
		t.weights = t.memory.tensor(t.dtype, t.shape)
	}
	return t.weights, nil
}

// Close ends the use of the table: after it lookups, steps and Weights are errors, and
// the states of optimisers are gone. Memory outside of Go's heap is freed, that of the
// table unless Weights has been called, that of a state unless State has. The rows and
// states of a table in a file are then on the disk. Closing a table again does nothing.
func (t *Table) Close() error {
	if err := t.made("Close"); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	mem := t.memory
	t.memory, t.weights = nil, nil
	err := mem.free()
	if t.file != nil {
		if states := t.file.closeStates(); err == nil {
			err = states
		}
	}
	if states := t.dropStates(); err == nil {
		err = states
	}
	return err
}

func errClosed(op string) error { return errors.Errorf("%s: the table is closed", op) }

// made refuses what no function here has made.
func (t *Table) made(op string) error {
	switch {
	case t == nil:
		return errors.Errorf("%s: the table is nil, New, Make, Create and Open make one", op)
	case t.number == 0:
		return errors.Errorf("%s: the table is the zero Table, New, Make, Create and Open make one", op)
	}
	return nil
}
