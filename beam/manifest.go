package gatherbeam

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"regexp"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
)

const (
	manifestName  = "manifest.json"
	format        = "gorgonia.org/gather/beam tables"
	formatVersion = 1

	// mostManifest bounds what is read of a manifest: that of some million shards.
	mostManifest = 64 << 20
)

var generationName = regexp.MustCompile(`^generation-[0-9]{6,18}-[0-9a-f]{16}$`)

// manifest says which tables a folder holds. Each may be of another generation: one
// that a job did not write stays where it was.
type manifest struct {
	Format  string                   `json:"format"`
	Version int                      `json:"version"`
	Commit  string                   `json:"commit"` // a name that no other commit has
	Number  int                      `json:"number"` // of commits
	Tables  map[string]manifestTable `json:"tables"`
}

type manifestTable struct {
	Generation string      `json:"generation"`
	Dtype      string      `json:"dtype"`
	Shape      []int64     `json:"shape"`
	Shards     []ShardFile `json:"shards"`
}

// readManifest is the manifest of a folder, or an error that is fs.ErrNotExist.
func readManifest(ctx context.Context, folder string) (*manifest, error) {
	m := &manifest{}
	if err := readJSON(ctx, join(folder, manifestName), m); err != nil {
		return nil, err
	}
	if m.Format != format || m.Version != formatVersion || m.Number < 1 || m.Commit == "" {
		return nil, errors.Errorf("%s: format %s, version %d; %q, version %d, is allowed",
			join(folder, manifestName), fault.Name(m.Format), m.Version, format, formatVersion)
	}
	for name := range m.Tables {
		if err := m.table(folder, name).check(); err != nil {
			return nil, errors.WithMessage(err, join(folder, manifestName))
		}
	}
	return m, nil
}

// table is a table of the manifest.
func (m *manifest) table(folder, name string) Table {
	t := m.Tables[name]
	return Table{Folder: folder, Name: name, Generation: t.Generation, Dtype: t.Dtype, Shape: t.Shape, Shards: t.Shards}
}

// readJSON reads a file of one JSON value.
func readJSON(ctx context.Context, path string, to any) error {
	return readFile(ctx, path, func(r io.Reader) error {
		data, err := io.ReadAll(io.LimitReader(r, mostManifest+1))
		if err != nil {
			return errors.WithStack(err)
		}
		if len(data) > mostManifest {
			return errors.Errorf("more than %d bytes", mostManifest)
		}
		return errors.WithStack(json.Unmarshal(data, to))
	})
}

// writeJSON writes a file of one JSON value.
func writeJSON(ctx context.Context, path string, from any) error {
	data, err := json.MarshalIndent(from, "", "\t")
	if err != nil {
		return errors.WithStack(err)
	}
	return writeFile(ctx, path, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return errors.WithStack(err)
	})
}

// OpenTable describes a table by the manifest of its folder. It reads no shard: one
// that is missing, or is another's, is an error of the pipeline that reads it.
//
// Errors: those of the file system, fs.ErrNotExist among them where it says so, and
// those of a manifest that is none or contradicts itself.
func OpenTable(ctx context.Context, folder, name string) (Table, error) {
	const op = "OpenTable"
	folder, err := absolute(folder)
	if err != nil {
		return Table{}, errors.WithMessage(err, op)
	}
	m, err := readManifest(ctx, folder)
	if err != nil {
		return Table{}, errors.WithMessage(err, op)
	}
	if _, ok := m.Tables[name]; !ok {
		return Table{}, errors.Wrapf(fs.ErrNotExist, "%s: %s has no table %s", op, join(folder, manifestName), fault.Name(name))
	}
	return m.table(folder, name), nil
}
