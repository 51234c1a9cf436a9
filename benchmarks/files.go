package main

import (
	"os"
	"path/filepath"
	"unsafe"

	"github.com/pkg/errors"
)

// writeFiles gives a problem's tensors to other processes, as this machine
// holds them: data.bin, updates.bin, weights.bin, and indices-a.bin and so on.
// The indices of a scatter that stands for a gradient are scatter-a.bin and so
// on.
func writeFiles(p *Problem, f scatterForm, dir string) error {
	write := func(name string, b []byte) error {
		return errors.Wrap(os.WriteFile(filepath.Join(dir, name), b, 0o600), "tensors for other processes")
	}
	if err := write("data.bin", p.memory); err != nil {
		return err
	}
	if p.updates != nil {
		if err := write("updates.bin", p.updates.Uint8s()); err != nil {
			return err
		}
	}
	if p.weights != nil {
		if err := write("weights.bin", p.weights.Uint8s()); err != nil {
			return err
		}
	}
	for s, x := range p.indices {
		if err := write(setFile("indices", s), x.Uint8s()); err != nil {
			return err
		}
		if p.Mode == Gradient {
			if err := write(setFile("scatter", s), bytesOf(f.values[s])); err != nil {
				return err
			}
		}
	}
	return nil
}

func setFile(name string, set int) string {
	return name + "-" + string(rune('a'+set)) + ".bin"
}

func bytesOf(values []int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), 8*len(values))
}
