package gatherbeam

import (
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[partKeyFn]())
	beam.RegisterDoFn(reflect.TypeFor[assembleFn]())
}

// Assemble puts the parts of a gather together: a PCollection of [Rows], one for
// each block of ids, with its rows in the order of the ids. The blocks are in no
// particular order. parts is the result of [GatherFrom] or [Gather]. Every row is sent
// once more, to the worker that has its block.
//
// The pipeline fails if the parts of a block do not have each position exactly once, or
// disagree about the block or about the dtype and shape of its rows.
func Assemble(s beam.Scope, parts beam.PCollection) beam.PCollection {
	s = s.Scope("gatherbeam.Assemble")
	if err := checkElements("parts", parts, reflect.TypeFor[Part]()); err != nil {
		return failRows(s, "Assemble", err)
	}
	return beam.ParDo(s, &assembleFn{}, beam.GroupByKey(s, beam.ParDo(s, &partKeyFn{}, parts)))
}

// partKeyFn keys a part by its block.
type partKeyFn struct{}

// ProcessElement is called by Beam.
func (*partKeyFn) ProcessElement(p Part) (int64, Part) { return p.Block, p }

// assembleFn puts the parts of a block together.
type assembleFn struct{}

// ProcessElement is called by Beam.
func (*assembleFn) ProcessElement(block int64, next func(*Part) bool) (Rows, error) {
	var a assembly
	for p := (Part{}); next(&p); {
		if err := a.add(p); err != nil {
			return Rows{}, errors.WithMessagef(err, "Assemble: block %d", block)
		}
	}
	if a.missing > 0 {
		return Rows{}, errors.Errorf("Assemble: block %d has %d positions, %d of them are in no part", block, len(a.there), a.missing)
	}
	return a.rows, nil
}

// assembly is a block of which some parts have arrived.
type assembly struct {
	rows    Rows
	width   int
	there   []bool // for each position
	missing int
}

// begin makes the block that a part belongs to.
func (a *assembly) begin(p Part) (err error) {
	a.rows = Rows{Block: p.Block, Start: p.Start, Dtype: p.Dtype}
	if len(p.Shape) == 0 {
		return fault.Errorf(dense.ErrShape, "a part of no shape")
	}
	if a.width, err = rowBytes(p.Dtype, p.Shape); err != nil {
		return err
	}
	a.rows.Shape = withRows(p.Shape, p.Count)
	bytes, err := bytesOf(p.Dtype, a.rows.Shape)
	if err != nil {
		return err
	}
	a.rows.Data = make([]byte, bytes)
	a.there = make([]bool, p.Count)
	a.missing = len(a.there)
	return nil
}

// add puts the rows of a part in their places.
func (a *assembly) add(p Part) error {
	if a.there == nil {
		if err := a.begin(p); err != nil {
			return err
		}
	}
	at := p.At()
	want := withRows(a.rows.Shape, int64(len(at)))
	if p.Start != a.rows.Start || p.Count != int64(len(a.there)) || p.Dtype != a.rows.Dtype || !slices.Equal(p.Shape, want) || len(p.Data) != len(at)*a.width {
		return fault.Errorf(dense.ErrShape, "parts do not agree: one is of %d ids from position %d and has rows of %s of shape %v, another of %d ids from position %d, of %s of shape %v",
			len(a.there), a.rows.Start, a.rows.Dtype, want, p.Count, p.Start, fault.Cut(p.Dtype), p.Shape)
	}
	for i, position := range at {
		if int64(position) >= p.Count {
			return errors.Errorf("a part has the position %d, there are %d", position, p.Count)
		}
		if a.there[position] {
			return errors.Errorf("position %d is in two parts", position)
		}
		a.there[position] = true
		copy(a.rows.Data[int(position)*a.width:], p.Data[i*a.width:(i+1)*a.width])
	}
	a.missing -= len(at)
	return nil
}
