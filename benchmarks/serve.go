package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/pkg/errors"
)

// serve is the other end of a [Remote]: it runs package dense, as this program
// was built with it. It makes the tensors itself, the same ones.
func serve(in io.Reader, out io.Writer) error {
	var p *Problem
	var r Runner
	answer := func(q request) (a reply, err error) {
		switch q.Do {
		case "hello":
			a.Version = build()
		case "load":
			p, r = nil, nil // before more memory is taken
			p, err = newProblem(*q.Case)
		case "prepare":
			runtime.GOMAXPROCS(q.Threads)
			r, err = newOurs(OursNoasm, p)
		case "result":
			values, err := r.Result()
			if err != nil {
				return a, err
			}
			return a, os.WriteFile(filepath.Join(q.Dir, resultFile), values.memory, 0o600)
		case "sample":
			t, err := r.Sample(q.N)
			a.Seconds = t.Seconds()
			return a, err
		default:
			err = errors.Errorf("cannot %q", q.Do)
		}
		return a, err
	}
	requests := json.NewDecoder(bufio.NewReader(in))
	replies := json.NewEncoder(out)
	for {
		var q request
		switch err := requests.Decode(&q); {
		case err == io.EOF:
			return nil
		case err != nil:
			return errors.Wrap(err, "requests")
		}
		a, err := answer(q)
		if err != nil {
			a.Error = err.Error()
		}
		if err := replies.Encode(a); err != nil {
			return errors.Wrap(err, "replies")
		}
	}
}
