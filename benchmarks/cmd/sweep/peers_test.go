package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/pkg/errors"
)

// fake is a peer that has written some bytes.
type fake struct {
	written []byte
	loads   error
	samples map[int]int
}

func (f *fake) name() string                  { return pyTorch }
func (f *fake) load(*operands, int) error     { return f.loads }
func (f *fake) result() ([]byte, error)       { return f.written, nil }
func (f *fake) sample(n int) (float64, error) { f.samples[n]++; return float64(n), nil }
func (f *fake) close() error                  { return nil }

// A peer takes its turns, unless it has no such call or writes something else.
func TestPeerTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	c, err := parseCall("Gather float32:50x16 int64:40")
	if err != nil {
		t.Fatal(err)
	}
	_, _, plain, err := prepare(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	right := plain.result.Uint8s()
	wrong := bytes.Clone(right)
	wrong[5]++
	broken := errors.New("broken")
	for _, x := range []struct {
		name  string
		peer  fake
		times bool
		err   error
	}{
		{"right", fake{written: right}, true, nil},
		{"wrong", fake{written: wrong}, false, nil},
		{"cannot", fake{written: right, loads: errCannot}, false, nil},
		{"broken", fake{loads: broken}, false, broken},
	} {
		t.Run(x.name, func(t *testing.T) {
			x.peer.samples = map[int]int{}
			r, err := measure(c, settings{threads: 2, rounds: 3}, []peer{&x.peer})
			if !errors.Is(err, x.err) {
				t.Fatalf("the error is %v, want %v", err, x.err)
			}
			if err != nil {
				return
			}
			if times := r.Peers[pyTorch]; (times != nil) != x.times {
				t.Fatalf("its times are %v", times)
			} else if x.times && (*times != [2]float64{1, 2} || x.peer.samples[1] != 3 || x.peer.samples[2] != 3) {
				t.Errorf("its times are %v, of %v samples", *times, x.peer.samples)
			}
		})
	}
}

// ONNX Runtime makes the same of small calls.
func TestONNXRuntime(t *testing.T) {
	library := os.Getenv("ONNXRUNTIME_LIB")
	if library == "" {
		t.Skip("ONNXRUNTIME_LIB does not say where ONNX Runtime is")
	}
	p, err := startONNXRuntime(library)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	}()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	g := generator{rand.New(rand.NewPCG(5, 5)), 20, 600}
	same := map[string]int{}
	for range 500 {
		c := g.call()
		o, _, plain, err := prepare(c, 1)
		if err == nil {
			err = p.load(o, 2)
		}
		if errors.Is(err, errCannot) {
			continue
		}
		var got []byte
		if err == nil {
			got, err = p.result()
		}
		if err == nil && c.exact() {
			if same[c.Op]++; !bytes.Equal(got, plain.result.Uint8s()) {
				t.Errorf("%v: another result", c)
			}
		}
		for _, threads := range []int{1, 2} {
			if err == nil {
				_, err = p.sample(threads)
			}
		}
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
	}
	for _, op := range []string{"Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"} {
		if same[op] < 5 {
			t.Errorf("only %d calls of %s were compared", same[op], op)
		}
	}
}
