//go:build !linux && !darwin

package files

import (
	"runtime"

	"github.com/pkg/errors"
)

// Mapped is a file whose content is memory. This system has none here.
type Mapped struct{}

func unsupported(path string) error {
	return errors.Errorf("%s: files are mapped on linux and darwin, not on %s", path, runtime.GOOS)
}

// Create fails.
func Create(path string, _ int64, _ func(mem []byte) error) (*Mapped, error) {
	return nil, unsupported(path)
}

// Open fails.
func Open(path string, _ bool) (*Mapped, error) { return nil, unsupported(path) }

// Bytes is nothing.
func (m *Mapped) Bytes() []byte { return nil }

// Size is nothing.
func (m *Mapped) Size() (int64, error) { return 0, nil }

// Has is always so.
func (m *Mapped) Has(string) (bool, error) { return true, nil }

// Writable does nothing.
func (m *Mapped) Writable() error { return nil }

// Sync does nothing.
func (m *Mapped) Sync() error { return nil }

// Close does nothing.
func (m *Mapped) Close(bool) error { return nil }

// Release does nothing.
func (m *Mapped) Release(bool) error { return nil }
