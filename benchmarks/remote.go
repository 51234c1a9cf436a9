package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/pkg/errors"
)

// Remote is another process that runs cases when asked: a Python library, or
// this program built in another way. It reads requests from its standard input
// and writes replies to its standard output, each a line of JSON.
type Remote struct {
	name    string
	version string
	process *exec.Cmd // nil in a test
	in      io.WriteCloser
	out     *bufio.Reader
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
	p := exec.Command(command[0], command[1:]...)
	p.Stderr = os.Stderr
	// NumPy asks the system for huge pages, and PyTorch and OpenVINO would find
	// their tensors in them: memory of no other runner is, nor is PyTorch's own.
	p.Env = append(os.Environ(), "NUMPY_MADVISE_HUGEPAGE=0")
	in, err := p.StdinPipe()
	if err != nil {
		return nil, errors.Wrap(err, name)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, errors.Wrap(err, name)
	}
	if err := p.Start(); err != nil {
		return nil, errors.Wrap(err, name)
	}
	r := &Remote{name: name, process: p, in: in, out: bufio.NewReader(out), files: files}
	hello, err := r.ask(request{Do: "hello"})
	if err != nil {
		_ = p.Process.Kill() // the error above says more
		return nil, err
	}
	r.version = hello.Version
	return r, nil
}

// stop ends the process, which does so by itself at the end of its input.
func (r *Remote) stop() error {
	err := r.in.Close()
	if r.process != nil {
		time.AfterFunc(10*time.Second, func() { _ = r.process.Process.Kill() })
		err = r.process.Wait()
	}
	return errors.Wrap(err, r.name)
}

func (r *Remote) ask(q request) (reply, error) {
	line, err := json.Marshal(q)
	if err != nil {
		return reply{}, errors.Wrap(err, r.name)
	}
	if _, err := r.in.Write(append(line, '\n')); err != nil {
		return reply{}, errors.Wrap(err, r.name)
	}
	if line, err = r.out.ReadBytes('\n'); err != nil {
		return reply{}, errors.Wrapf(err, "%s has ended", r.name)
	}
	var a reply
	if err := json.Unmarshal(line, &a); err != nil {
		return a, errors.Wrapf(err, "%s: %s", r.name, line)
	}
	if a.Cannot {
		return a, errCannot
	}
	if a.Error != "" {
		return a, errors.Errorf("%s: %s", r.name, a.Error)
	}
	return a, nil
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

func (r *remoteRunner) Name() string { return r.name }
func (r *remoteRunner) Call() string { return r.call }
func (r *remoteRunner) Close()       {}

func (r *remoteRunner) Result() (Values, error) {
	if _, err := r.ask(request{Do: "result", Dir: r.dir}); err != nil {
		return Values{}, err
	}
	b, err := os.ReadFile(filepath.Join(r.dir, resultFile))
	return Values{kind: r.kind, memory: b}, errors.Wrap(err, r.name)
}

func (r *remoteRunner) Sample(n int) (time.Duration, error) {
	a, err := r.ask(request{Do: "sample", N: n})
	return time.Duration(a.Seconds * float64(time.Second)), err
}
