package main

import (
	"embed"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

// peersFiles are a Python program that runs the cases in PyTorch or OpenVINO, at
// the other end of a [Remote].
//
//go:embed peers/*.py
var peersFiles embed.FS

// writePeers writes the program into a folder, and returns what Python runs.
func writePeers(dir string) (string, error) {
	const folder = "peers"
	entries, err := peersFiles.ReadDir(folder)
	if err != nil {
		return "", errors.Wrap(err, folder)
	}
	program := filepath.Join(dir, folder)
	if err := os.Mkdir(program, 0o700); err != nil {
		return "", errors.Wrap(err, folder)
	}
	for _, e := range entries {
		text, err := peersFiles.ReadFile(folder + "/" + e.Name())
		if err != nil {
			return "", errors.Wrap(err, folder)
		}
		if err := os.WriteFile(filepath.Join(program, e.Name()), text, 0o600); err != nil {
			return "", errors.Wrap(err, folder)
		}
	}
	return program, nil
}
