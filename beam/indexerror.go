package gatherbeam

import (
	"regexp"
	"strconv"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
)

// errBatchDims is the error of a batch of gathers, which rows of one table are not.
var errBatchDims = fault.Errorf(dense.ErrOption, "Gather: WithBatchDims does not apply to rows of a table, the options are: WithOutOfRange, WithNonNegativeIndices, WithPadding")

// errShardRow is the error of a row that the shard has not: routes have been checked,
// so what travelled was changed on its way.
func errShardRow(row uint32) error {
	return fault.Errorf(dense.ErrShape, "row %d is asked of a shard that does not have it", row)
}

var indexText = regexp.MustCompile(`(Gather|ScatterND): indices\[(\d+)( 0)?\]: (-?\d+) out of range \[(-?\d+), (\d+)\) for data axis 0`)

// AsIndexError finds the id out of range that made a pipeline fail in what running
// it returned. Runners pass on the text of an error, from another process or
// machine, and this reads it: fields that a text does not have are empty.
func AsIndexError(err error) (*dense.IndexError, bool) {
	if err == nil {
		return nil, false
	}
	if e := (*dense.IndexError)(nil); errors.As(err, &e) {
		return e, true
	}
	m := indexText.FindStringSubmatch(err.Error())
	if m == nil {
		return nil, false
	}
	position, errPosition := strconv.Atoi(m[2])
	index, errIndex := strconv.ParseInt(m[4], 10, 64)
	size, errSize := strconv.Atoi(m[6])
	if errPosition != nil || errIndex != nil || errSize != nil {
		return nil, false
	}
	e := &dense.IndexError{Op: m[1], Position: []int{position}, Index: index, Size: size, NonNegative: m[5] == "0" && size > 0}
	if m[3] != "" {
		e.Position = append(e.Position, 0)
	}
	return e, true
}
