package main

import (
	"sync"
	"time"

	"gonum.org/v1/gonum/blas"
	G "gorgonia.org/gorgonia"
)

// A timedBLAS measures how long products of matrices take: the time in which one
// of them or several are under way.
type timedBLAS struct {
	G.BLAS
	mu    sync.Mutex
	calls int // under way
	since time.Time
	spent time.Duration
}

// timeBLAS makes one around the BLAS that Gorgonia uses, for use.
func timeBLAS() *timedBLAS { return &timedBLAS{BLAS: G.WhichBLAS()} }

// use has Gorgonia use it, or what is inside: package builders has a product of its own
// in place of Gonum's, as long as it sees that.
func (b *timedBLAS) use(timed bool) {
	G.Use(b.BLAS)
	if timed {
		G.Use(b)
	}
}

func (b *timedBLAS) reset() { b.spent = 0 }

func (b *timedBLAS) seconds() float64 { return b.spent.Seconds() }

// Sgemm is that of the BLAS inside.
func (b *timedBLAS) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, left []float32, lda int, right []float32, ldb int, beta float32, out []float32, ldc int) {
	b.count(1)
	defer b.count(-1)
	b.BLAS.Sgemm(tA, tB, m, n, k, alpha, left, lda, right, ldb, beta, out, ldc)
}

func (b *timedBLAS) count(change int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls == 0 {
		b.since = time.Now()
	}
	if b.calls += change; b.calls == 0 {
		b.spent += time.Since(b.since)
	}
}
