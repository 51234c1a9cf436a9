package main

import (
	_ "embed"

	"github.com/pkg/errors"
	"gorgonia.org/gather/benchmarks/internal/child"
)

//go:embed torch.py
var program string

// A reply is what torch.py answers.
type reply struct {
	Version string  `json:"version"`
	Cost    float64 `json:"cost"`
	Squares float64 `json:"squares"` // the sum of the squares of all gradients
	Seconds float64 `json:"seconds"`
	Error   string  `json:"error"`
}

// A pyTorch is the process that has made the model and measures its steps.
type pyTorch struct {
	*child.Process
	file  string // the model
	hello reply
}

func startPyTorch(s settings, file string) (*pyTorch, error) {
	p, err := child.Start("PyTorch", s.torch, "-c", program)
	if err != nil {
		return nil, err
	}
	t := &pyTorch{Process: p, file: file}
	t.hello, err = t.ask(struct {
		Case Case   `json:"case"`
		File string `json:"file"`
	}{s.Case, file})
	if err != nil {
		p.Kill() // the error above says more
		return nil, err
	}
	return t, nil
}

func (t *pyTorch) ask(question any) (a reply, err error) {
	if err := t.Ask(question, &a); err != nil {
		return a, err
	}
	if a.Error != "" {
		return a, errors.Errorf("PyTorch: %s", a.Error)
	}
	return a, nil
}

// step is how long a step takes, in seconds.
func (t *pyTorch) step() (float64, error) {
	a, err := t.ask(struct{}{})
	return a.Seconds, err
}
