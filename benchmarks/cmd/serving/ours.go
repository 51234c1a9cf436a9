package main

import (
	"runtime"
	"time"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// ours are the tables of package embedding.
type ours struct {
	tables   map[string]*embedding.Table
	sets     []*tensor.Dense // of ids, (bags, ids of a bag)
	row, bag *tensor.Dense   // results
}

var storages = map[string]embedding.Storage{
	"Float32": embedding.Float32, "Float16": embedding.Float16, "BFloat16": embedding.BFloat16, "Int8": embedding.Int8, "Int4": embedding.Int4,
}

// load makes the tables, of the same numbers as the other side's.
func (o *ours) load(s setup, ids []int64) error {
	from, err := embedding.Make(tensor.Float32, s.Rows, s.Dim, embedding.Zeros())
	if err != nil {
		return err
	}
	weights, err := from.Weights()
	if err != nil {
		return err
	}
	fill(weights.Float32s())
	o.tables = map[string]*embedding.Table{}
	for _, name := range s.Storages {
		if o.tables[name] = from; storages[name] != embedding.Float32 {
			if o.tables[name], err = from.Quantize(storages[name]); err != nil {
				return err
			}
		}
	}
	n := len(ids) / s.Sets
	for len(ids) > 0 {
		o.sets = append(o.sets, tensor.New(tensor.WithShape(s.Bags, n/s.Bags), tensor.WithBacking(ids[:n])))
		ids = ids[n:]
	}
	o.row = tensor.New(tensor.WithShape(s.Bags, n/s.Bags, s.Dim), tensor.Of(tensor.Float32))
	o.bag = tensor.New(tensor.WithShape(s.Bags, s.Dim), tensor.Of(tensor.Float32))
	return nil
}

// fill makes numbers from 0 to 1, none of which is another program's to make: they
// follow from their place.
func fill(all []float32) {
	for i := range all {
		all[i] = float32(uint32(i)*2654435761>>8) * 0x1p-24
	}
}

func (o *ours) run(q call) (a answer, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(q.Threads))
	table, out := o.tables[q.Storage], o.row
	if q.Bags {
		out = o.bag
	}
	start := time.Now()
	for range q.Times {
		for _, ids := range o.sets {
			if q.Bags {
				_, err = table.Bags(ids, nil, nil, embedding.Sum, dense.WithReuse(out))
			} else {
				_, err = table.Rows(ids, dense.WithReuse(out))
			}
			if err != nil {
				return a, errors.Wrap(err, q.Storage)
			}
		}
	}
	a.Seconds = time.Since(start).Seconds() / float64(q.Times*len(o.sets))
	if q.Times == 1 {
		for _, x := range out.Float32s() {
			a.Sum += float64(x)
		}
	}
	return a, nil
}

func (o *ours) close() error { return nil }
