// Package peers is a Python program that runs calls in PyTorch or OpenVINO, when the
// program that has started it asks for it.
package peers

import (
	"embed"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

//go:embed *.py
var files embed.FS

// Write writes the program into a folder, and returns what Python runs.
func Write(dir string) (string, error) {
	program := filepath.Join(dir, "peers")
	entries, err := files.ReadDir(".")
	if err == nil {
		err = os.Mkdir(program, 0o700)
	}
	for _, e := range entries {
		var text []byte
		if err == nil {
			text, err = files.ReadFile(e.Name())
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(program, e.Name()), text, 0o600)
		}
	}
	return program, errors.Wrap(err, "peers")
}
