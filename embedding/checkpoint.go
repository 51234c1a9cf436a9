package embedding

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/files"
)

// A checkpoint is a folder:
//
//	manifest.json
//	generation-000012/
//	    items.npy            the rows of the table "items"
//	    items.m.npy          a state of Adam
//	    items.v.npy
//
// Several renames cannot be made at once, but one can: each Save writes a new
// generation beside the old one, waits until all of it is on the disk, and then renames a
// new manifest over the old one. Old generations go after that.

const (
	manifestName     = "manifest.json"
	generationPrefix = "generation-"

	format        = "gorgonia.org/gather/embedding checkpoint"
	formatVersion = 1

	// mostManifest bounds what is read of a manifest: that of some 100 000 tables.
	mostManifest = 64 << 20
)

// manifest says what a checkpoint holds.
type manifest struct {
	Format     string                `json:"format"`
	Version    int                   `json:"version"`
	Generation int                   `json:"generation"`
	Optimizer  string                `json:"optimizer,omitempty"`
	Tables     map[string]savedTable `json:"tables"`
}

// savedTable is a table in a generation, whose files its names are relative to the
// folder of the checkpoint.
type savedTable struct {
	Dtype   string                `json:"dtype"`
	Shape   []int                 `json:"shape"`
	Weights savedArray            `json:"weights"`
	Steps   int                   `json:"steps"` // that the optimiser has made with it
	State   map[string]savedArray `json:"state,omitempty"`
}

// savedArray is a file, and the CRC-32C of its data.
type savedArray struct {
	File string `json:"file"`
	CRC  uint32 `json:"crc32c"`
}

// generationFolder is the name of the folder of a generation.
func generationFolder(n int) string { return fmt.Sprintf("%s%06d", generationPrefix, n) }

// readManifest reads the manifest of a checkpoint.
func readManifest(dir string) (*manifest, error) {
	if dir == "" {
		return nil, errors.New("the folder's name is empty")
	}
	path := filepath.Join(dir, manifestName)
	f, err := files.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Wrapf(fs.ErrNotExist, "nothing has been saved in %s: %s", dir, manifestName)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostManifest+1))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	if len(text) > mostManifest {
		return nil, errors.Errorf("%s is larger than %d bytes", path, mostManifest)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, errors.Wrapf(err, "%s is no manifest", path)
	}
	switch {
	case m.Format != format:
		return nil, errors.Errorf("%s is no manifest of this package: its format is %s", path, fault.Name(m.Format))
	case m.Version != formatVersion:
		return nil, errors.Errorf("%s is of version %d, %d is allowed", path, m.Version, formatVersion)
	case m.Generation < 1:
		return nil, errors.Errorf("%s names generation %d, the first is 1", path, m.Generation)
	}
	for name, t := range m.Tables {
		for _, a := range append(t.arrays(), t.Weights) {
			if !filepath.IsLocal(a.File) {
				return nil, errors.Errorf("%s: a file of table %s is %s, which is not in the folder", path, fault.Name(name), fault.Name(a.File))
			}
		}
	}
	return &m, nil
}

// arrays are the states.
func (t savedTable) arrays() []savedArray {
	var all []savedArray
	for _, a := range t.State {
		all = append(all, a)
	}
	return all
}

// write makes it the manifest of a checkpoint.
func (m *manifest) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return errors.WithStack(err)
	}
	return files.Replace(filepath.Join(dir, manifestName), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return errors.WithStack(err)
	})
}

// generations are the numbers of the generations that have a folder, whole or not.
func generations(dir string) ([]int, error) {
	entries, err := files.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []int
	for _, e := range entries {
		var n int
		if rest, ok := strings.CutPrefix(e.Name(), generationPrefix); !ok || !e.IsDir() {
			continue
		} else if _, err := fmt.Sscanf(rest, "%d", &n); err == nil && n > 0 && generationFolder(n) == e.Name() {
			all = append(all, n)
		}
	}
	return all, nil
}

// tableFile is the name of a table as the beginning of the names of its files:
// small letters, digits, _ and - stand for themselves. To some systems two names that
// differ in the case of letters alone are one. A name that no system would take is
// cut, and its hash keeps it apart.
func tableFile(name string) string {
	const most = 120
	if name == "" {
		return "%"
	}
	var b strings.Builder
	for _, c := range []byte(name) {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() <= most {
		return b.String()
	}
	return fmt.Sprintf("%s%%%x", b.String()[:most-40], sha256.Sum256([]byte(name)))[:most]
}

// tablesElsewhere refuses tables whose files are those of old generations: Save removes
// them, and the steps that follow would change files without a name.
func tablesElsewhere(dir string, old []int, tables map[string]*Table) error {
	dir, err := files.Resolve(dir)
	if err != nil {
		return err
	}
	for name, t := range tables {
		if t.file == nil || t.readOnly {
			continue
		}
		for _, n := range old {
			if filepath.Dir(t.file.path) == filepath.Join(dir, generationFolder(n)) {
				return errors.Errorf("the table %s is %s, which Save replaces; Load reads a checkpoint into other tables", fault.Name(name), t.file.path)
			}
		}
	}
	return nil
}
