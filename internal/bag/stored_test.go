package bag

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/quant"
	"gorgonia.org/gather/internal/simd"
)

// drawStored draws a row as it is stored, with odd scales and offsets, and what it reads
// as.
func drawStored(rng *rand.Rand, s quant.Storage, columns int) (row []byte, read []float32) {
	row = make([]byte, s.RowBytes(columns))
	for i := range row {
		row[i] = byte(rng.Uint32())
	}
	switch s {
	case quant.Int8:
		tail := row[len(row)-8:]
		binary.LittleEndian.PutUint32(tail, math.Float32bits(float32(memtest.DrawFloat(rng))))
		binary.LittleEndian.PutUint32(tail[4:], math.Float32bits(float32(memtest.DrawFloat(rng))))
		return row, oracle.DecodeRow(8, columns, row)
	case quant.Int4:
		return row, oracle.DecodeRow(4, columns, row)
	}
	read = make([]float32, columns)
	for c := range read {
		bits := binary.LittleEndian.Uint16(row[2*c:])
		if s == quant.Float16 {
			read[c] = float16.Frombits(bits).Float32()
		} else {
			read[c] = math.Float32frombits(uint32(bits) << 16)
		}
	}
	return row, read
}

// TestStoredBags compares bags of rows in fewer bits with the plain loops over what the
// rows are read as, in every implementation and with several numbers of threads. Nothing
// behind the last row, or before the first, can be read.
func TestStoredBags(t *testing.T) {
	shapes := append(shapes(slow()),
		shape{bags: 40, rows: 400, inner: 64, size: few(60)},
		shape{bags: 600, rows: 400, inner: 131, size: few(9)},
		shape{bags: 2, rows: 9, inner: 40001, size: exactly(5)},
		shape{bags: 1, rows: 300, inner: 64, size: exactly(8000)},
	)
	k := plainReal(num.Float32, func(rng *rand.Rand) float32 { return float32(memtest.DrawFloat(rng)) })
	for _, s := range []quant.Storage{quant.Float16, quant.BFloat16, quant.Int8, quant.Int4} {
		rng := rand.New(rand.NewPCG(1, uint64(s)))
		for _, red := range []num.Reduction{num.Add, num.Mean, num.Max} {
			for i, shape := range shapes {
				if slow() && (i+int(s)+int(red))%4 > 0 {
					continue // another storage or reduction has this one
				}
				c := newTestCase(rng, k, shape, red)
				c.Default = -1
				c.name = fmt.Sprint(s, ", ", c.name)
				c.Stored = quant.Rows{Storage: s, Columns: c.Inner, Bytes: memtest.Paged(t, s.Bytes(c.Rows, c.Inner), i%2 == 0)}
				for row := range c.Rows {
					stored, read := drawStored(rng, s, c.Inner)
					copy(c.Stored.Bytes[row*len(stored):], stored)
					copy(c.table[row*c.Inner:], read)
				}
				// A sum of two NaN is either: which one is the compiler's choice.
				first := map[string][]byte{}
				memtest.OnThreads(t, func(t *testing.T) {
					for _, impl := range simd.Implementations {
						restore := simd.Use(impl)
						got := c.checkStored(t, rng)
						restore()
						if first[impl.Name] == nil {
							first[impl.Name] = got
						}
						if !bytes.Equal(got, first[impl.Name]) {
							t.Fatalf("%s: %s: other bits than with one thread", c.name, impl.Name)
						}
					}
				})
			}
		}
	}
}

// checkStored is check for what stored rows have: results, and gradients of weights.
func (c *testCase[T]) checkStored(t *testing.T, rng *rand.Rand) []byte {
	t.Helper()
	out, dots := memtest.Copy(c.junk[:c.Bags*c.Inner], rng), memtest.Copy(c.junk[:len(c.picked)], rng)
	b := c.Description
	if b.Weights != nil {
		b.Weights = memtest.Copy(c.weights, rng).Mem
	}
	badResult, badDot := b.Reduce(out.Mem), -1
	out.Check(t, c.name)
	if c.Reduction == num.Add {
		badDot = b.WeightsGradient(dots.Mem, num.Bytes(c.grads))
		dots.Check(t, c.name)
	}
	if badResult != c.firstBad || c.Reduction == num.Add && badDot != c.firstBad {
		t.Fatalf("%s: the first bad index is at %d and %d, want %d", c.name, badResult, badDot, c.firstBad)
	}
	if c.firstBad >= 0 {
		return nil
	}
	if err := c.equal(out.Mem, c.plain("results", c.results)); err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	if c.Reduction != num.Add {
		return out.Mem
	}
	if err := c.equal(dots.Mem, c.plain("dots", c.dots)); err != nil {
		t.Fatalf("%s: gradients of weights: %v", c.name, err)
	}
	return append(out.Mem, dots.Mem...)
}
