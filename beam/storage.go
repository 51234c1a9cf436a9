package gatherbeam

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // paths without a scheme
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/files"
)

// A new file stands under its name whole or not at all. The object stores that Beam
// knows make an object when its writer is closed. A file of this machine is written
// under another name, which no other attempt has, and renamed: a runner may run one
// part of a job twice at a time, and whoever loses must not truncate what is read
// already. Beam's own Rename is a copy in an object store, and not there in all
// file systems, so it is for this machine's alone.

// writeFile writes a file.
func writeFile(ctx context.Context, path string, write func(io.Writer) error) (err error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return errors.WithStack(err)
	}
	defer fs.Close()
	if !isLocal(path) {
		return writeTo(ctx, fs, path, write)
	}
	temporary := path + ".partial-" + token()
	remove := func() {
		if r, ok := fs.(filesystem.Remover); ok {
			_ = r.Remove(ctx, temporary) // what is left of it nobody reads
		}
	}
	if err := writeTo(ctx, fs, temporary, write); err != nil {
		remove()
		return err
	}
	renamer, ok := fs.(filesystem.Renamer)
	if !ok {
		remove()
		return errors.Errorf("%s: the file system cannot rename", path)
	}
	if err := renamer.Rename(ctx, temporary, path); err != nil {
		remove()
		return errors.WithStack(err)
	}
	return files.SyncFolder(filepath.Dir(path))
}

// writeTo writes to a name and waits until it is on the disk, where there is one.
func writeTo(ctx context.Context, fs filesystem.Interface, path string, write func(io.Writer) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := fs.OpenWrite(ctx, path)
	if err != nil {
		return errors.WithStack(err)
	}
	err = write(w)
	if s, ok := w.(interface{ Sync() error }); ok && err == nil {
		err = errors.WithStack(s.Sync())
	}
	if err != nil {
		cancel() // or Close would make an object of what has been written
	}
	if closing := w.Close(); err == nil {
		err = errors.WithStack(closing)
	}
	return err
}

// open opens a file to read. Both results are to be closed.
func open(ctx context.Context, path string) (filesystem.Interface, io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, nil, errors.WithStack(err)
	}
	r, err := fs.OpenRead(ctx, path)
	if err != nil {
		_ = fs.Close()
		return nil, nil, errors.Wrap(err, path)
	}
	return fs, r, nil
}

// readFile gives a file to read.
func readFile(ctx context.Context, path string, read func(io.Reader) error) error {
	fs, r, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	defer r.Close()
	return errors.WithMessage(read(r), path)
}

// token is a name that nobody else has.
func token() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
