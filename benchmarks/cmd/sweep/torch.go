package main

import (
	"os"
	"path/filepath"
	"unsafe"

	"github.com/pkg/errors"
	"gorgonia.org/gather/benchmarks/internal/child"
	"gorgonia.org/gather/benchmarks/peers"
)

// torch is PyTorch in the process that the other benchmarks run, too.
type torch struct {
	*child.Process
	dir   string // of the files that tensors are in
	times int    // calls of the next sample
	warm  int    // calls before them
}

// request and reply are those of folder peers.
type request struct {
	Do      string         `json:"do"`
	Case    map[string]any `json:"case,omitempty"`
	Base    []int          `json:"base"`
	Out     []int          `json:"out"`
	Updates []int          `json:"updates"`
	Scatter map[string]any `json:"scatter"`
	Dir     string         `json:"dir,omitempty"`
	Threads int            `json:"threads,omitempty"`
	N       int            `json:"n,omitempty"`
}

type reply struct {
	Seconds float64 `json:"seconds"`
	Cannot  bool    `json:"cannot"`
	Error   string  `json:"error"`
}

func startTorch(python string) (*torch, error) {
	dir, err := os.MkdirTemp("", "sweep-")
	if err != nil {
		return nil, errors.WithStack(err)
	}
	t := &torch{dir: dir}
	program, err := peers.Write(dir)
	if err == nil {
		t.Process, err = child.Start(pyTorch, python, program, "torch")
	}
	if err == nil {
		if _, err = t.ask(request{Do: "hello"}); err != nil {
			t.Kill() // the error says more
		}
	}
	if err != nil {
		_ = os.RemoveAll(dir) // the error says more
		return nil, err
	}
	return t, nil
}

func (t *torch) name() string { return pyTorch }

func (t *torch) close() error {
	err := t.Stop()
	if e := os.RemoveAll(t.dir); err == nil {
		err = errors.WithStack(e)
	}
	return err
}

func (t *torch) ask(q request) (a reply, err error) {
	err = t.Ask(q, &a)
	switch {
	case err != nil:
	case a.Cannot:
		err = errCannot
	case a.Error != "":
		err = errors.New(a.Error)
	}
	return a, err
}

// forTorch is a call as folder peers has it.
func (o *operands) forTorch() map[string]any {
	op, mode, reduction := o.Op, "gather", o.Reduction
	switch {
	case o.InPlace:
		mode = "in place"
	case o.changes() && o.Reduction == "":
		op, mode = op[len("Add"):], "gradient"
	case o.changes():
		mode = "copy"
	}
	if reduction == "sum" {
		reduction = "add"
	}
	return map[string]any{
		"op": op, "mode": mode, "reduction": reduction, "dtype": o.Dtype, "data": o.Data, "indices": shapeOrEmpty(o.Indices),
		"axis": o.Axis, "batch_dims": o.BatchDims, "strides": o.data.strides, "offset": o.data.offset, "sets": 1, "random": true,
	}
}

// shapeOrEmpty is a scalar's shape in JSON, which knows null besides.
func shapeOrEmpty(shape []int) []int { return append([]int{}, shape...) }

func (t *torch) load(o *operands, threads int) error {
	files := map[string][]byte{"data": o.data.base.Uint8s(), "indices-a": bytesOf(o.indices.wide)}
	q := request{Do: "load", Case: o.forTorch(), Base: o.data.base.Shape(), Out: o.result, Dir: t.dir, Scatter: map[string]any{"indices": []int{}}}
	if o.changes() {
		files["updates"], q.Updates = o.updates.Uint8s(), o.updates.Shape()
	}
	if o.offsets.Dense != nil {
		files["offsets"] = bytesOf(o.offsets.wide)
	}
	for name, memory := range files {
		file := filepath.Join(t.dir, name+".bin")
		if err := os.WriteFile(file, memory, 0o600); err != nil {
			return errors.WithStack(err)
		}
		defer os.Remove(file) // close reports what is left
	}
	t.times, t.warm = 1, 1
	if _, err := t.ask(q); err != nil {
		return err
	}
	_, err := t.ask(request{Do: "prepare", Threads: 1})
	return err
}

func bytesOf(all []int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(all))), 8*len(all))
}

func (t *torch) result() ([]byte, error) {
	if _, err := t.ask(request{Do: "result", Dir: t.dir}); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(t.dir, "result.bin"))
}

// sample makes as many calls as the one before says that sampleTime has, after those that do
// not count.
func (t *torch) sample(threads int) (float64, error) {
	if _, err := t.ask(request{Do: "sample", N: t.warm, Threads: threads}); err != nil {
		return 0, err
	}
	a, err := t.ask(request{Do: "sample", N: t.times, Threads: threads})
	each := a.Seconds / float64(t.times)
	t.times = 1 + int(sampleTime.Seconds()/max(each, nano))
	t.warm = min(max(t.times, warmCalls), 1+int(warmTime.Seconds()/max(each, nano)))
	return each, err
}
