package main

import (
	"runtime"
	"sync"
)

// newMemcpy copies as many bytes as the case writes. Beside a table that is out
// of the cache it copies another part of that table each time.
func newMemcpy(p *Problem) Runner {
	n := p.bytes()
	dst := make([]byte, n)
	var src []byte
	if p.Group == Rows {
		src = p.memory
	} else {
		src = make([]byte, n)
	}
	return &inProcess{
		name: Memcpy, sets: p.Sets, result: func() Values { return Values{} },
		run: func(set int) error {
			at := set * n % (len(src) - n + 1)
			parallelCopy(dst, src[at:at+n])
			return nil
		},
	}
}

// parallelCopy copies with as many goroutines as there are threads, one where
// the piece is small.
func parallelCopy(dst, src []byte) {
	threads := runtime.GOMAXPROCS(0)
	if threads == 1 || len(src) < 256<<10 {
		copy(dst, src)
		return
	}
	var done sync.WaitGroup
	piece := (len(src) + threads - 1) / threads
	for lo := 0; lo < len(src); lo += piece {
		hi := min(lo+piece, len(src))
		done.Add(1)
		go func() {
			defer done.Done()
			copy(dst[lo:hi], src[lo:hi])
		}()
	}
	done.Wait()
}
