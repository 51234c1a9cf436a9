package embedding

import (
	"slices"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/tensor"
)

// Prefetch asks the system to read the rows of some ids from the table's file, and their
// states of optimisers that have stepped the table in this process. It returns when the
// requests are made, which takes some 10 µs for each page of 4 KiB that is not in memory,
// and before the pages are read. Call it with the ids of the next batch while a graph runs
// this one: then lookups and steps find the rows in memory. It changes no row, and is
// optional: lookups and steps request their own rows.
//
// ids are as those of [Lookup.Set], of any shape. If there are more rows than fit into
// memory, some are dropped again before they are used.
//
// For a table in memory, and on systems other than Linux, it only checks the ids.
//
// Errors: [dense.ErrDtype], [*dense.IndexError], and a table that is closed. A disk that
// cannot be read is no error here, but ends the process when the row is used.
func (t *Table) Prefetch(ids tensor.Tensor) (err error) {
	const op = "Prefetch"
	if err := t.made(op); err != nil {
		return err
	}
	defer core.Recover(op, &err)
	buffer := idBuffers.Get().(*[]int64)
	defer idBuffers.Put(buffer)
	rows, shape, err := core.ReadIDs(*buffer, op, "ids", ids, t.ids.Beyond())
	if err != nil {
		return err
	}
	*buffer = rows
	if bad := t.resolve(rows); bad >= 0 {
		return t.indexError(op, rows[bad], bad, shape)
	}
	if t.file != nil {
		slices.Sort(rows)
		rows = slices.Compact(rows)
	}
	for {
		some := rows[:min(len(rows), rowsALock)]
		if err := t.prefetch(op, some); err != nil || len(some) == len(rows) {
			return err
		}
		rows = rows[len(some):]
	}
}

// rowsALock is how many rows are asked for before a step that waits gets its turn.
const rowsALock = 4096

// prefetch asks for the pages of rows.
func (t *Table) prefetch(op string, rows []int64) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return errClosed(op)
	}
	t.memory.willNeed(rows, t.rowBytes())
	for _, s := range t.states {
		for _, m := range s.memories {
			m.willNeed(rows, s.rowBytes())
		}
	}
	return nil
}
