package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"unsafe"

	"github.com/pkg/errors"
	"gorgonia.org/gather/benchmarks/internal/child"
)

// request is a line of JSON that a remote process is sent: a case to load, with the
// file that holds its ids as int64, or how often to run the sets of the one loaded.
type request struct {
	Case  *Case  `json:"case,omitempty"`
	File  string `json:"file,omitempty"`
	Times int    `json:"times,omitempty"`
}

// reply is the line that it answers.
type reply struct {
	Version string  `json:"version,omitempty"`
	Sum     float64 `json:"sum"`
	Seconds float64 `json:"seconds"`
	Cannot  bool    `json:"cannot,omitempty"`
	Error   string  `json:"error,omitempty"`
}

// errCannot says that a runner does not have a case.
var errCannot = errors.New("this runner does not have the case")

// remote is a runner in another process.
type remote struct {
	*child.Process
	version string
}

func startRemote(name string, command ...string) (*remote, error) {
	p, err := child.Start(name, command...)
	if err != nil {
		return nil, err
	}
	r := &remote{Process: p}
	hello, err := r.ask(request{})
	if err != nil {
		p.Kill() // the error above says more
		return nil, err
	}
	r.version = hello.Version
	return r, nil
}

func (r *remote) ask(q request) (a reply, err error) {
	err = r.Ask(q, &a)
	switch {
	case err != nil:
	case a.Cannot:
		err = errCannot
	case a.Error != "":
		err = errors.Errorf("%s: %s", r.Name, a.Error)
	}
	return a, err
}

func (r *remote) load(c Case, ids []int64) (float64, error) {
	f, err := os.CreateTemp("", "ids")
	if err != nil {
		return 0, errors.Wrap(err, r.Name)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(bytesOf(ids))
	if other := f.Close(); err == nil {
		err = other
	}
	if err != nil {
		return 0, errors.Wrap(err, r.Name)
	}
	a, err := r.ask(request{Case: &c, File: f.Name()})
	return a.Sum, err
}

func bytesOf(ids []int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(ids))), 8*len(ids))
}

func (r *remote) sample(times int) (float64, error) {
	a, err := r.ask(request{Times: times})
	return a.Seconds, err
}

func (r *remote) close() error { return r.Stop() }

// answer is the other side of remote, for this program built in another way.
func answer(in io.Reader, out io.Writer) error {
	lines, o := bufio.NewReader(in), new(ours)
	defer func() { _ = o.close() }()
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		var q request
		var a reply
		if err == nil {
			err = json.Unmarshal(line, &q)
		}
		switch {
		case err != nil:
		case q.Case != nil:
			var file []byte
			if file, err = os.ReadFile(q.File); err == nil && len(file) > 0 {
				ids := make([]int64, len(file)/8)
				copy(bytesOf(ids), file)
				a.Sum, err = o.load(*q.Case, ids)
			}
		case q.Times > 0:
			a.Seconds, err = o.sample(q.Times)
		}
		if err != nil {
			a.Error = err.Error()
		}
		if line, err = json.Marshal(a); err != nil {
			return errors.WithStack(err)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return errors.WithStack(err)
		}
	}
}
