package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/pkg/errors"
)

const (
	// closeRatio: a case is close where the fastest peer takes less than this many times as
	// long as ours. Single runs of a case differ by up to a half on virtual machines.
	closeRatio = 2
	// slowPeer: a peer that takes this many times as long as the fastest does not
	// run again.
	slowPeer = 1.4
)

// repeat measures the close cases again, with memory and threads of their own
// each time: how tensors come to lie makes more of a difference there than
// samples show.
func (b *Bench) repeat(ctx context.Context, r *Report) error {
	var again []int
	left := 0
	for i := range r.Results {
		x := &r.Results[i]
		if ratio, ok := x.ratioToBest(); ok && len(x.Runs) == 0 && ratio < closeRatio {
			x.Runs = []float64{ratio}
		}
		if n := b.runs - len(x.Runs); len(x.Runs) > 0 && n > 0 {
			again, left = append(again, i), left+n
		}
	}
	bar := newProgress(b.progress, left)
	defer bar.finish()
	for run := 1; run < b.runs; run++ {
		for _, i := range again {
			x := &r.Results[i]
			if len(x.Runs) > run {
				continue // it was, before an interruption
			}
			ratio, ok, err := b.ratioAgain(ctx, x)
			if err != nil {
				return errors.Wrap(err, x.Name)
			}
			if ok {
				x.Runs = append(x.Runs, ratio)
			}
			bar.step(fmt.Sprintf("run %d of %s", run+1, x.Name), fmt.Sprintf("threads %d", x.Threads))
		}
	}
	return nil
}

// ratioAgain is the ratio of another run with the peers that matter. There is none if all of
// them are wrong this time, as those may be that lose sums of several threads.
func (b *Bench) ratioAgain(ctx context.Context, x *Result) (ratio float64, ok bool, err error) {
	p, missing, err := b.load(x.Case)
	if err != nil {
		return 0, false, err
	}
	_, best, _ := x.bestPeer()
	for _, name := range runnerOrder {
		us, ok := x.time(name)
		missing[name] = name != Ours && (!ok || !isPeer(name) || us > slowPeer*best)
	}
	runtime.GOMAXPROCS(x.Threads)
	again := Result{Case: x.Case, Threads: x.Threads}
	if again.Times, err = b.measure(ctx, p, x.Threads, missing); err != nil {
		return 0, false, err
	}
	ratio, ok = again.ratioToBest()
	return ratio, ok, nil
}
