package gatherbeam

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/pkg/errors"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[extentFn]())
	beam.RegisterDoFn(reflect.TypeFor[blocksFn]())
	beam.RegisterType(reflect.TypeFor[extent]())
}

// extent says which positions a block of ids has.
type extent struct{ Block, Start, Count int64 }

// checkBlocks adds a step that fails unless the blocks of ids have each position
// 0 … M-1 once, and each a number of its own. It sees no ids.
func checkBlocks(s beam.Scope, op string, ids beam.PCollection) {
	s = s.Scope("blocks")
	checked := beam.ParDo(s, &blocksFn{Op: op}, beam.GroupByKey(s, beam.ParDo(s, &extentFn{}, ids)))
	beam.GroupByKey(s, checked) // without it Prism 2.77 spins
}

// extentFn sends the extent of a block to the step that checks all of them.
type extentFn struct{}

// ProcessElement is called by Beam.
func (*extentFn) ProcessElement(b IDs) (int64, extent, error) {
	ids, err := b.count()
	return 0, extent{Block: b.Block, Start: b.Start, Count: ids}, err
}

// blocksFn checks the extents of all blocks.
type blocksFn struct{ Op string }

// ProcessElement is called by Beam.
func (f *blocksFn) ProcessElement(_ int64, next func(*extent) bool) (blocks, ids int64, err error) {
	var all []extent
	numbers := map[int64]bool{}
	for e := (extent{}); next(&e); {
		if numbers[e.Block] {
			return 0, 0, errors.Errorf("%s: two blocks of ids have the number %d", f.Op, e.Block)
		}
		numbers[e.Block] = true
		all = append(all, e)
	}
	// A block without ids stands before the one that has the position.
	slices.SortFunc(all, func(a, b extent) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Count, b.Count), cmp.Compare(a.Block, b.Block))
	})
	at := int64(0)
	for i, e := range all {
		switch {
		case e.Start > at:
			return 0, 0, errors.Errorf("%s: no block of ids has the positions %d to %d; block %d is the next one", f.Op, at, e.Start-1, e.Block)
		case e.Start < at && i == 0:
			return 0, 0, errors.Errorf("%s: block %d of ids starts at position %d", f.Op, e.Block, e.Start)
		case e.Start < at:
			return 0, 0, errors.Errorf("%s: block %d of ids starts at position %d, but a block before it ends at %d", f.Op, e.Block, e.Start, at-1)
		}
		at += e.Count
	}
	return int64(len(all)), at, nil
}
