package main

import (
	"flag"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	G "gorgonia.org/gorgonia"

	"gorgonia.org/gather/benchmarks/internal/command"
)

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		flags []string
		is    error
		says  string
	}{
		{[]string{"-h"}, flag.ErrHelp, ""},
		{[]string{"-rows"}, command.ErrFlags, ""},
		{[]string{"-rounds=0"}, nil, "flag -rounds: 0"},
		{[]string{"steps"}, nil, `"steps" is too many`},
		{nil, nil, "flag -torch is needed"},
	} {
		err := run(c.flags, io.Discard, io.Discard)
		require.Error(t, err, c.flags)
		if c.is != nil {
			require.ErrorIs(t, err, c.is, c.flags)
		}
		require.Contains(t, err.Error(), c.says)
	}
}

// TestTimedBLAS computes what the BLAS inside does, and counts the time in which any
// call is under way once.
func TestTimedBLAS(t *testing.T) {
	before := G.WhichBLAS()
	defer G.Use(before)
	b := timeBLAS()
	b.use(true)
	c := make([]float32, 1)
	G.WhichBLAS().Sgemm(blas.NoTrans, blas.NoTrans, 1, 1, 2, 1, []float32{2, 3}, 2, []float32{5, 7}, 1, 0, c, 1)
	require.Equal(t, float32(31), c[0])
	require.Positive(t, b.seconds())
	b.reset()
	b.count(1)
	b.count(1)
	time.Sleep(time.Millisecond)
	b.count(-1)
	require.Zero(t, b.seconds())
	b.count(-1)
	require.GreaterOrEqual(t, b.seconds(), 1e-3)
}

func TestReport(t *testing.T) {
	r := report{ours: []float64{0.3, 0.1, 0.2}, blas: []float64{0.1}, rest: []float64{0.05}, theirs: []float64{0.02}}
	var s strings.Builder
	require.NoError(t, r.print(&s, Case{Layers: 2}, "2.15"))
	require.Contains(t, s.String(), "library   200 ms")
}
