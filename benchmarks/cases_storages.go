package main

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/embedding"
)

// tableRows and tableBags are lookups of a table in memory, without a graph. cmd/serving
// has those of PyTorch.
const (
	tableRows = "Table.Rows"
	tableBags = "Table.Bags"
)

var fewerBits = []embedding.Storage{embedding.Float16, embedding.BFloat16, embedding.Int8, embedding.Int4}

// storageCases are the rows of 4096 times 32 ids, and sums of 4096 bags of 32, out of a
// million rows of 64 numbers in fewer bits.
func storageCases() []Case {
	var all []Case
	for _, op := range []string{tableRows, tableBags} {
		for _, s := range fewerBits {
			c := Case{Op: op, Mode: Read, Data: []int{1_000_000, 64}, Indices: []int{4096, 32}, Storage: s.String()}
			c.Name = fmt.Sprintf("%s of %s", op, s)
			all = append(all, c)
		}
	}
	return grouped(Storages, all)
}

// stored makes a table of data.
func (p *Problem) stored() (*embedding.Table, error) {
	from, err := embedding.New(p.data)
	if err != nil {
		return nil, err
	}
	for _, s := range fewerBits {
		if s.String() == p.Storage {
			return from.Quantize(s)
		}
	}
	return nil, errors.Errorf("%s: storage %q is none of %v", p.Name, p.Storage, fewerBits)
}
