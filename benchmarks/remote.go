package main

import (
	"os"
	"path/filepath"
	"time"

	"github.com/pkg/errors"
	"gorgonia.org/gather/benchmarks/internal/child"
)

// Remote is another process that runs cases when asked: a Python library, or
// this program built in another way. It reads requests from its standard input
// and writes replies to its standard output, each a line of JSON.
type Remote struct {
	*child.Process
	version string
	files   bool // it reads its tensors from files
}

// request is what a remote is asked to do: "hello" to say which version it is;
// "load" to read a case from the files in Dir; "prepare" to get ready for
// Threads; "result" to run once with the first index set and write the output
// to the file in Dir named resultFile; "sample" to run N times.
type request struct {
	Do      string       `json:"do"`
	Case    *Case        `json:"case,omitempty"`
	Scatter *scatterForm `json:"scatter,omitempty"`
	Base    []int        `json:"base,omitempty"` // see [Case.baseShape]
	Out     []int        `json:"out,omitempty"`
	Updates []int        `json:"updates,omitempty"`
	Dir     string       `json:"dir,omitempty"`
	Threads int          `json:"threads,omitempty"`
	N       int          `json:"n,omitempty"`
}

type reply struct {
	Version string  `json:"version,omitempty"`
	Call    string  `json:"call,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Cannot  bool    `json:"cannot,omitempty"`
	Error   string  `json:"error,omitempty"`
}

const resultFile = "result.bin"

// startRemote starts a program and greets it.
func startRemote(name string, files bool, command ...string) (*Remote, error) {
	p, err := child.Start(name, command...)
	if err != nil {
		return nil, err
	}
	r := &Remote{Process: p, files: files}
	hello, err := r.ask(request{Do: "hello"})
	if err != nil {
		p.Kill() // the error above says more
		return nil, err
	}
	r.version = hello.Version
	return r, nil
}

func (r *Remote) ask(q request) (a reply, err error) {
	err = r.Ask(q, &a)
	switch {
	case err != nil:
	case a.Cannot:
		err = errCannot
	case a.Error != "":
		err = errors.Errorf("%s: %s", r.Process.Name, a.Error)
	}
	return a, err
}

func (r *Remote) load(p *Problem, f *scatterForm, dir string) error {
	_, err := r.ask(request{
		Do: "load", Case: &p.Case, Scatter: f, Dir: dir,
		Base: p.baseShape(), Out: p.outShape(), Updates: p.updatesShape(),
	})
	return err
}

// runner asks the process to get ready for threads.
func (r *Remote) runner(k kind, threads int, dir string) (Runner, error) {
	ready, err := r.ask(request{Do: "prepare", Threads: threads})
	if err != nil {
		return nil, err
	}
	return &remoteRunner{Remote: r, kind: k, dir: dir, call: ready.Call}, nil
}

type remoteRunner struct {
	*Remote
	kind      kind
	dir, call string
}

func (r *remoteRunner) Name() string { return r.Process.Name }
func (r *remoteRunner) Call() string { return r.call }
func (r *remoteRunner) Close()       {}

func (r *remoteRunner) Result() (Values, error) {
	if _, err := r.ask(request{Do: "result", Dir: r.dir}); err != nil {
		return Values{}, err
	}
	b, err := os.ReadFile(filepath.Join(r.dir, resultFile))
	return Values{kind: r.kind, memory: b}, errors.Wrap(err, r.Process.Name)
}

func (r *remoteRunner) Sample(n int) (time.Duration, error) {
	a, err := r.ask(request{Do: "sample", N: n})
	return time.Duration(a.Seconds * float64(time.Second)), err
}
