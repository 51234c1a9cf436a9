package gatherbeam

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// Table says where the rows of a table are: in which shards, each a .npy file.
// [OpenTable], [DescribeTable] and [Generation.Table] make one. It is a plain value,
// which travels with the functions of a pipeline: some 40 bytes a shard.
type Table struct {
	Folder     string      // with the manifest: a path of a file system that Beam knows
	Name       string      // letters, digits, "_", "-" and "." inside
	Generation string      // the folder in Folder that has the shards; "" for Folder itself
	Dtype      string      // float32, float64, int32 or int64
	Shape      []int64     // (R, d...)
	Shards     []ShardFile // in the order of their rows
}

// ShardFile is what is known of a shard's file without reading it.
type ShardFile struct {
	Rows   int64  `json:"rows"`
	CRC32C string `json:"crc32c,omitempty"` // of the data, in hexadecimal; "" if it is not known
}

// mostShards bounds the shards of a table: five digits name them.
const mostShards = 99999

// mostRows bounds the rows of a shard, which are numbered by 32 bits within it. The
// greatest number stands for a row of zeros.
const mostRows = math.MaxUint32 - 1

var plainName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,98}[A-Za-z0-9_])?$`)

func checkName(name string) error {
	if !plainName.MatchString(name) {
		return errors.Errorf("the name %q of a table: up to 100 letters, digits, \"_\", and inside \"-\" and \".\", are allowed", fault.Cut(name))
	}
	return nil
}

// File is the path of the file of a shard: users-00003-of-00016.npy for shard 3 of
// 16 of the table users.
func (t Table) File(shard int) string {
	return join(t.folder(), fmt.Sprintf("%s-%05d-of-%05d.npy", t.Name, shard, len(t.Shards)))
}

// folder is where the shards are.
func (t Table) folder() string {
	if t.Generation == "" {
		return t.Folder
	}
	return join(t.Folder, t.Generation)
}

// Rows is the number of rows of the table.
func (t Table) Rows() int64 {
	if len(t.Shape) == 0 {
		return 0
	}
	return t.Shape[0]
}

// check refuses a description, which may have come from a file, if any of it cannot be.
func (t Table) check() error {
	if t.Folder == "" {
		return errors.New("the folder's name is empty")
	}
	if err := checkName(t.Name); err != nil {
		return err
	}
	if t.Generation != "" && !generationName.MatchString(t.Generation) {
		return errors.Errorf("table %s: %q is no name of a generation", t.Name, fault.Cut(t.Generation))
	}
	if _, err := rowBytes(t.Dtype, t.Shape); err != nil {
		return errors.WithMessagef(err, "table %s", t.Name)
	}
	if _, err := intsOf(t.Shape); err != nil {
		return errors.WithMessagef(err, "table %s", t.Name)
	}
	if len(t.Shards) == 0 || len(t.Shards) > mostShards {
		return fault.Errorf(dense.ErrShape, "table %s: %d shards, 1 to %d are allowed", t.Name, len(t.Shards), mostShards)
	}
	rows := int64(0)
	for i, s := range t.Shards {
		if s.Rows < 0 || s.Rows > mostRows || rows > math.MaxInt64-s.Rows {
			return fault.Errorf(dense.ErrShape, "table %s: shard %d has %d rows, 0 to %d are allowed", t.Name, i, s.Rows, int64(mostRows))
		}
		rows += s.Rows
	}
	if rows != t.Rows() {
		return fault.Errorf(dense.ErrShape, "table %s: its shards have %d rows, its shape is %v", t.Name, rows, t.Shape)
	}
	return nil
}

// starts are the numbers of the first rows of the shards, and behind them that of
// the rows of the table.
func (t Table) starts() []int64 {
	starts := make([]int64, len(t.Shards)+1)
	for i, s := range t.Shards {
		starts[i+1] = starts[i] + s.Rows
	}
	return starts
}

// newTable describes a table in shards whose rows differ by one at most, the longer
// ones first.
func newTable(folder, name, generation string, dt tensor.Dtype, shape tensor.Shape, shards int) (Table, error) {
	dtype, err := nameOf(dt)
	if err != nil {
		return Table{}, err
	}
	if len(shape) == 0 {
		return Table{}, fault.Errorf(dense.ErrShape, "table %s: a scalar has no rows", fault.Name(name))
	}
	if shards < 1 || shards > mostShards {
		return Table{}, fault.Errorf(dense.ErrShape, "table %s: %d shards, 1 to %d are allowed", fault.Name(name), shards, mostShards)
	}
	t := Table{Folder: folder, Name: name, Generation: generation, Dtype: dtype, Shape: int64sOf(shape), Shards: make([]ShardFile, shards)}
	each, more := t.Shape[0]/int64(shards), t.Shape[0]%int64(shards)
	for i := range t.Shards {
		t.Shards[i].Rows = each
		if int64(i) < more {
			t.Shards[i].Rows++
		}
	}
	return t, t.check()
}

// join is a path in a folder. Beam's paths have slashes, and a scheme before two of
// them.
func join(folder, name string) string {
	return strings.TrimRight(folder, "/") + "/" + name
}

// isLocal reports whether a path has no scheme, so that it is one of this machine's
// file system, or one that all machines have mounted.
func isLocal(path string) bool { return !strings.Contains(path, "://") }

// absolute is a folder as a worker in another working directory finds it.
func absolute(folder string) (string, error) {
	if folder == "" {
		return "", errors.New("the folder's name is empty")
	}
	if !isLocal(folder) {
		return folder, nil
	}
	path, err := filepath.Abs(folder)
	return filepath.ToSlash(path), errors.WithStack(err)
}

// escape is a path as a part of a pattern, which means this path alone.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
