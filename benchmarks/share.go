package main

import (
	"bytes"
	"fmt"
	"log"
	"reflect"
	"runtime"
	"strings"
	"time"

	G "gorgonia.org/gorgonia"
)

// shareTime is how long steps run to find out what is spent on which operators.
const shareTime = time.Second

// ourShare is the part of a step that this library's operators take, their
// results' allocation and clearing included. The rest is Gorgonia's. The
// machine logs each instruction before it executes it: the time of the next
// line is that of its end.
func ourShare(p *Problem) (float64, error) {
	w := &stopwatch{}
	s, err := makeStep(p, G.WithLogger(log.New(w, "", 0)))
	if err != nil {
		return 0, err
	}
	defer s.machine.Close()
	w.ours = map[string]bool{}
	for _, n := range s.graph.AllNodes() {
		if n.Op() != nil && isOurs(n.Op()) {
			w.ours[nodeText(n.ID())] = true
		}
	}
	var all time.Duration
	runtime.GC()
	for i := 0; all < shareTime || i < 4; i++ {
		if i == 1 {
			w.spent, all = 0, 0 // the first run takes its memory from the system
		}
		start := time.Now()
		if err := s.run(i % p.Sets); err != nil {
			return 0, err
		}
		w.lap()
		all += time.Since(start)
	}
	return w.spent.Seconds() / all.Seconds(), nil
}

// isOurs tells whether an operator is of this library, in whatever package.
func isOurs(op G.Op) bool {
	of := reflect.TypeOf(op)
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return strings.HasPrefix(of.PkgPath(), "gorgonia.org/gather")
}

// nodeText is how a machine's log names a node at the end of a line.
func nodeText(id int64) string { return fmt.Sprintf("Node is: %x\n", id) }

// stopwatch reads the log of a machine.
type stopwatch struct {
	ours    map[string]bool
	spent   time.Duration // on ours
	running bool          // one of ours
	start   time.Time
}

// Write takes a line.
func (w *stopwatch) Write(line []byte) (int, error) {
	w.lap()
	if at := bytes.LastIndex(line, []byte("Node is: ")); at >= 0 && w.ours[string(line[at:])] {
		w.running, w.start = true, time.Now()
	}
	return len(line), nil
}

// lap ends what is running.
func (w *stopwatch) lap() {
	if w.running {
		w.spent += time.Since(w.start)
		w.running = false
	}
}
