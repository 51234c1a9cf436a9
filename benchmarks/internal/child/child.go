// Package child runs another process that answers each line of JSON with one: a
// Python library, or a benchmark program built in another way.
package child

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/pkg/errors"
)

// Process is the other process.
type Process struct {
	Name    string // for errors
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// Start starts a program.
func Start(name string, command ...string) (*Process, error) {
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
	c := Connected(name, in, out)
	c.process = p
	return c, nil
}

// Connected is what runs elsewhere: a goroutine of a test.
func Connected(name string, in io.WriteCloser, out io.Reader) *Process {
	return &Process{Name: name, in: in, out: bufio.NewReader(out)}
}

// Ask sends a question and reads the answer.
func (p *Process) Ask(question, answer any) error {
	line, err := json.Marshal(question)
	if err != nil {
		return errors.Wrap(err, p.Name)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return errors.Wrap(err, p.Name)
	}
	if line, err = p.out.ReadBytes('\n'); err != nil {
		return errors.Wrapf(err, "%s has ended", p.Name)
	}
	return errors.Wrapf(json.Unmarshal(line, answer), "%s: %s", p.Name, line)
}

// Kill ends the process at once, where an error has already said why.
func (p *Process) Kill() { _ = p.process.Process.Kill() }

// Stop ends the process, which does so by itself at the end of its input.
func (p *Process) Stop() error {
	err := p.in.Close()
	if p.process != nil {
		timer := time.AfterFunc(10*time.Second, func() { _ = p.process.Process.Kill() })
		defer timer.Stop()
		err = p.process.Wait()
	}
	return errors.Wrap(err, p.Name)
}
