package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// rowScatter is a scatter or a reduction of rows, or of elements that tuples address, in the
// form Block. Blocks are divided between goroutines or, where there are few, each gets a
// partition of their rows: it reads all indices, and works on the rows of its partition. So
// every target gets its updates in order.
type rowScatter struct {
	tuples
	loop    simd.AddLoop // nil for strings, or if targets are only set to neutral
	neutral []byte       // what targets are set to first, or nil
	seen    []byte       // of each row, whether it has been set to that
	memory  *[]byte      // of the pool, which seen is in
	copyOld bool         // block by block
	blocks  int          // that are worked on at a time
	mean    *simd.MeanLoops
	counts  *counter // that partitions share
}

// scatterRows runs loop over all rows, which partitions may share.
func (c *Call) scatterRows(loop simd.AddLoop, neutral []byte, mean *simd.MeanLoops, partitions bool) int {
	blocks, each := c.Batch*c.Outer, c.N*c.Inner
	if blocks*each == 0 {
		return -1
	}
	s := &c.memory().rows
	defer s.release()
	s.Call, s.loop, s.neutral, s.mean, s.blocks = c, loop, neutral, mean, blocks
	partitions = partitions && blocks < fewBlocks
	if s.caches(blocks, neutral != nil && loop != nil || mean != nil) {
		if bad := s.cache(); bad >= 0 {
			return bad
		}
	} else if c.Atomic && !c.Fill {
		if bad := c.Check(); bad >= 0 {
			return bad
		}
	}
	grains := blocks * each / scatterGrain
	if s.copyOld = c.Old != nil && blocks >= fewBlocks; s.copyOld {
		c.copyOld(blocks * c.spanBytes())
		grains = max(grains, par.Grains(blocks, c.spanBytes()))
	} else {
		c.copyOld(0)
	}
	if neutral != nil && loop != nil && mean == nil {
		s.remember(blocks)
	}
	if s.copyOld || neutral != nil || mean != nil {
		s.blocks = max(1, copiedBefore/max(1, c.spanBytes()))
		if !s.copyOld && mean == nil {
			s.blocks = max(s.blocks, simd.OffsetsAtOnce/each) // as many as may have offsets at a time
		}
	}
	if !partitions {
		return par.Run(s, blocks, grains)
	}
	s.partitions = max(1, min(par.Threads(), grains))
	if mean == nil {
		return par.Run(s, s.partitions, grains)
	}
	s.counts = c.countsFor(blocks * (c.Span / c.Inner))
	bad := par.Run(s, s.partitions, grains)
	s.counts.release(bad)
	return bad
}

func (s *rowScatter) release() {
	s.tuples.release()
	if s.memory != nil {
		byteMemory.Put(s.memory)
	}
	*s = rowScatter{}
}

// Piece runs some blocks, or some partitions of all.
func (s *rowScatter) Piece(lo, hi int) int {
	if s.partitions > 0 {
		bad := -1
		for me := lo; me < hi; me++ {
			bad = s.rows(interval{0, s.Batch * s.Outer}, me) // of all partitions the same
		}
		return bad
	}
	size := s.spanBytes()
	for ; lo < hi; lo += s.blocks {
		end := min(lo+s.blocks, hi)
		if s.copyOld {
			par.Copy(s.Data[lo*size:end*size], s.Old[lo*size:end*size])
		}
		if bad := s.rows(interval{lo, end}, 0); bad >= 0 {
			return bad
		}
	}
	return -1
}

// rows runs some blocks, in a partition.
func (s *rowScatter) rows(blocks interval, me int) int {
	switch {
	case s.Width == 0:
		return setStrings(&s.tuples, blocks, me)
	case s.mean != nil:
		return s.meanOfRows(blocks, me)
	case s.seen != nil:
		return s.fillAndCombineRows(blocks, me)
	case s.neutral != nil:
		if bad := s.fillTargets(blocks, me); bad >= 0 || s.loop == nil {
			return bad
		}
	}
	row := s.rowBytes()
	ahead := simd.Distance(row)
	return eachTuple(&s.tuples, blocks, me, func(r tupleRun[byte]) {
		s.loop.Run(num.Pointer(r.block), num.Pointer(r.updates), &r.offsets[0], &r.rows[0], len(r.offsets), row, row, ahead)
	})
}
