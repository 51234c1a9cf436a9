package embedding

import (
	"sync"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// Rows looks up rows without a graph: one for each id,
//
//	out[j…, p…] = table[ids[j…], p…]
//
// ids are integers of any dtype, in any layout and of any shape; the result has the
// shape ids ++ d..., and the table's dtype. Zeros stand for the padding. It is a new
// tensor, or that of [dense.WithReuse], the one option: then nothing is allocated. Any
// number of goroutines may look up at a time; steps wait for them. After an error the given
// tensor holds anything.
//
// Errors: [dense.ErrShape], [dense.ErrDtype], [dense.ErrOption], [dense.ErrLayout],
// [*dense.IndexError].
func (t *Table) Rows(ids tensor.Tensor, opts ...dense.Option) (*tensor.Dense, error) {
	const op = "Rows"
	if err := t.made(op); err != nil {
		return nil, err
	}
	q := queries.Get().(*query)
	defer q.release()
	q.table, q.call, q.bags = t, op, -1
	return q.run(ids, nil, nil, opts)
}

// Bags reduces bags of rows without a graph, as [Table.Bag] does in one: over the
// positions i of bag b, n of which name a row, the result is
//
//	Sum    out[b, p…] = Σ weights[i]·table[ids[i], p…]
//	Mean   out[b, p…] = (Σ weights[i]·table[ids[i], p…]) / Σ weights[i]
//	SqrtN  out[b, p…] = (Σ weights[i]·table[ids[i], p…]) / √Σ weights[i]²
//	Max    out[b, p…] = max table[ids[i], p…]
//
// Bag b has the ids from offsets[b] to offsets[b+1]-1, the last one to the end; ids
// have the shape (n), offsets (bags), ascending and within [0, n]. By
// [dense.WithLengths] offsets are how many ids each bag has, as TorchRec has bags, and by
// [dense.WithLastOffset] there is one offset more, which is n. Without offsets, nil,
// ids are (bags, k), a row for each bag. weights are of the table's dtype and the shape
// of ids, or nil for ones, with which Mean divides by n and SqrtN by √n; Max has none. The
// result is (bags, d...), and a bag without rows, or whose weights give the divisor 0, is
// zeros. TensorFlow's combiners sum, mean and sqrtn are these. For the rest see
// [Table.Rows].
//
// Errors: [dense.ErrShape], for offsets out of order, too, [dense.ErrDtype],
// [dense.ErrOption], [dense.ErrLayout], [*dense.IndexError].
func (t *Table) Bags(ids, offsets, weights tensor.Tensor, mode Mode, opts ...dense.Option) (*tensor.Dense, error) {
	const op = "Bags"
	if err := t.made(op); err != nil {
		return nil, err
	}
	if mode > SqrtN {
		return nil, fault.Errorf(dense.ErrOption, "%s: mode %d, allowed are Sum, Mean, Max and SqrtN", op, mode)
	}
	q := queries.Get().(*query)
	defer q.release()
	q.table, q.call, q.bags, q.mode = t, op, 0, mode
	return q.run(ids, offsets, weights, opts)
}

// query is a lookup without a graph.
type query struct {
	request
	picked
	result tensor.Shape
}

// queries are kept for the memory of their ids.
var queries = sync.Pool{New: func() any { return &query{request: request{anyShape: true}} }}

func (q *query) release() {
	q.table, q.unread = nil, nil
	queries.Put(q)
}

func (q *query) run(ids, offsets, weights tensor.Tensor, opts []dense.Option) (_ *tensor.Dense, err error) {
	defer core.Recover(q.call, &err)
	allowed := plan.Reuse
	if q.bags >= 0 {
		allowed |= plan.Borders
	}
	s, dst, err := plan.ForTable(q.call, allowed, opts)
	if err != nil {
		return nil, err
	}
	q.offsets = s
	if err := q.read(&q.picked, ids, offsets, weights); err != nil {
		return nil, err
	}
	if q.bags < 0 {
		q.result = append(q.result[:0], q.shape...)
	} else {
		q.result = append(q.result[:0], q.bags)
	}
	t := q.table
	q.result = append(q.result, t.shape[1:]...)
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return nil, errClosed(q.call)
	}
	return core.WriteRows(q.call, dst, q.result, t.dtype, t.memory.bytes, func(to []byte) error {
		if bad := q.lookUp(&q.picked, to); bad >= 0 {
			return q.indexError(bad, ids.Shape())
		}
		return nil
	})
}

// indexError is for the bad id at a position, which nobody has read before.
func (q *query) indexError(bad int, shape tensor.Shape) error {
	id := int64(0)
	if q.short {
		id = int64(num.As[int32](q.unread)[bad])
	} else {
		id = num.As[int64](q.unread)[bad]
	}
	return q.table.indexError(q.call, id, bad, shape)
}
