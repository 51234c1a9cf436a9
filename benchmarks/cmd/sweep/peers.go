package main

import (
	"bytes"
	"os"
	"strings"
	"time"

	"github.com/pkg/errors"
)

// The names of the peers.
const (
	pyTorch     = "PyTorch"
	onnxRuntime = "ONNX Runtime"
)

// peer is another library.
type peer interface {
	name() string
	// load prepares a call, to be made with one thread or with some.
	load(o *operands, threads int) error
	// result makes the call once and returns what it has written, in row-major order.
	result() ([]byte, error)
	// sample makes calls for sampleTime and returns the seconds that one takes.
	sample(threads int) (float64, error)
	close() error
}

// spin is how long threads of a peer wait for the next call before they sleep, at most.
const spin = 5 * time.Millisecond

// errCannot says that a peer does not have a call.
var errCannot = errors.New("it has no such call")

// startPeers starts what the flags name.
func (s settings) startPeers() (all []peer, err error) {
	if s.torch != "" {
		// Threads of OpenMP that wait would take a core from the next side.
		if err := os.Setenv("OMP_WAIT_POLICY", "passive"); err != nil {
			return nil, errors.WithStack(err)
		}
		t, err := startTorch(s.torch)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	if s.library != "" {
		o, err := startONNXRuntime(s.library)
		if err != nil {
			return all, err
		}
		all = append(all, o)
	}
	return all, nil
}

// peerTurns are those of the peers that have a call, with one thread and with some.
func peerTurns(o *operands, want side, threads int, peers []peer, times map[string]*[2]float64) (turns []turn, err error) {
	for _, p := range peers {
		switch err := p.load(o, threads); {
		case errors.Is(err, errCannot):
			continue
		case err != nil:
			return nil, errors.Wrap(err, p.name())
		}
		got, err := p.result()
		if err != nil {
			return nil, errors.Wrap(err, p.name())
		}
		if o.exact() && !bytes.Equal(got, want.result.Uint8s()) {
			continue
		}
		t := new([2]float64)
		times[p.name()] = t
		for i, n := range []int{1, threads}[:min(threads, 2)] {
			turns = append(turns, turn{&t[i], n, spin, func() (float64, error) { return p.sample(n) }})
		}
	}
	return turns, nil
}

// exact tells whether a peer has to write the same: sums differ in their order, and of
// several updates of an element another one may win. A peer whose result is another one
// is not measured: that is so for the maximum of segments without rows.
func (c Call) exact() bool {
	sums := strings.HasPrefix(c.Op, "Add") || c.Reduction == "add" || c.Reduction == "sum" || c.Reduction == "mean" || c.Op == "SegmentSum" || c.Op == "SegmentMean"
	whole := c.Dtype == "int64" || c.Dtype == "uint8"
	return c.Reduction != "none" && (whole || !sums) && (c.Layout == "" || !c.inPlace())
}
