package main

import (
	"fmt"
	"strings"
)

// segmentRows are the rows of data that segments share, 64 each on average.
const segmentRows, segmentCount = 64 * 4096, 4096

// segmentCases are reductions of segments and their softmax, of rows of one number and
// more. Segment ids are in ascending order.
func segmentCases() []Case {
	var all []Case
	for _, op := range []string{"SegmentSum", "SegmentMean", "SegmentMin", "SegmentMax", "SegmentProd", segmentSoftmax} {
		for _, columns := range []int{1, 8, 64} {
			c := Case{Op: op, Mode: Read, Data: []int{segmentRows, columns}, Indices: []int{segmentRows}}
			c.Name = fmt.Sprintf("%s, rows of %d", op, columns)
			if op == "SegmentProd" {
				c.Reduction = Mul
			}
			all = append(all, c)
		}
	}
	return grouped(Segments, all)
}

const segmentSoftmax = "SegmentSoftmax"

// ofSegments tells whether the operator is one of segments.
func (c Case) ofSegments() bool { return strings.HasPrefix(c.Op, "Segment") }
