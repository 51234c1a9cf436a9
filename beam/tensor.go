package gatherbeam

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strconv"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/npy"
	"gorgonia.org/tensor"
)

// Store writes a table that fits into this machine's memory, in this process: rows
// (R, d...) of the table's shape and dtype, in any layout. [WriteTable] does the same in
// a pipeline. Call [Generation.Commit] after it.
func (t Table) Store(ctx context.Context, rows tensor.Tensor) error {
	const op = "Store"
	if err := t.check(); err != nil {
		return errors.WithMessage(err, op)
	}
	dtype, shape, data, err := dataOf(op, "rows", rows)
	if err != nil {
		return err
	}
	if dtype != t.Dtype || !slices.Equal(shape, t.Shape) {
		return fault.Errorf(dense.ErrShape, "%s: rows are %s of shape %v, table %s is %s of shape %v", op, dtype, shape, t.Name, t.Dtype, t.Shape)
	}
	width, err := rowBytes(t.Dtype, t.Shape)
	if err != nil {
		return errors.WithMessage(err, op)
	}
	shards := make([]ShardFile, len(t.Shards))
	for i, s := range t.Shards {
		mine := data[:int(s.Rows)*width]
		data = data[len(mine):]
		if err := t.writeShard(ctx, i, mine); err != nil {
			return errors.WithMessage(err, op)
		}
		shards[i] = ShardFile{Rows: s.Rows, CRC32C: checksum(mine)}
	}
	return errors.WithMessage(t.record(ctx, shards), op)
}

// Load reads all of a table into this machine's memory, as a tensor (R, d...).
func (t Table) Load(ctx context.Context) (*tensor.Dense, error) {
	const op = "Load"
	if err := t.check(); err != nil {
		return nil, errors.WithMessage(err, op)
	}
	bytes, err := bytesOf(t.Dtype, t.Shape)
	if err != nil {
		return nil, errors.WithMessage(err, op)
	}
	var data []byte // a table that promises more than its files hold takes no memory for it
	for i := range t.Shards {
		shard, err := t.readShard(ctx, i)
		if err != nil {
			return nil, errors.WithMessage(err, op)
		}
		if i == 0 {
			data = make([]byte, 0, min(bytes, 2*len(shard)*len(t.Shards)))
		}
		data = append(data, shard...)
	}
	d, err := tensorOf(t.Dtype, t.Shape, data)
	return d, errors.WithMessage(err, op)
}

// DescribeTable describes a table that has no manifest by the headers of its files:
// those in the folder that have the names of [Table.File], as numpy.save and
// embedding.Create can write them. All shards must exist, with the same dtype and the
// same shape except for the number of rows.
func DescribeTable(ctx context.Context, folder, name string) (Table, error) {
	const op = "DescribeTable"
	folder, err := absolute(folder)
	if err == nil {
		err = checkName(name)
	}
	if err != nil {
		return Table{}, errors.WithMessage(err, op)
	}
	n, err := countFiles(ctx, folder, name)
	if err != nil {
		return Table{}, errors.WithMessage(err, op)
	}
	t := Table{Folder: folder, Name: name, Shards: make([]ShardFile, n)}
	for i := range t.Shards {
		err := readFile(ctx, t.File(i), func(r io.Reader) error {
			h, _, err := npy.Read(r)
			if err != nil {
				return err
			}
			return t.describe(i, h)
		})
		if err != nil {
			return Table{}, errors.WithMessage(err, op)
		}
	}
	return t, errors.WithMessage(t.check(), op)
}

// describe adds what the header of a shard says.
func (t *Table) describe(shard int, h npy.Header) error {
	if len(h.Shape) == 0 {
		return fault.Errorf(dense.ErrShape, "a scalar has no rows")
	}
	shape := int64sOf(h.Shape)
	if shard == 0 {
		t.Dtype, t.Shape = npy.Name(h.Kind), withRows(shape, 0)
	} else if npy.Name(h.Kind) != t.Dtype || !slices.Equal(withRows(shape, 0), withRows(t.Shape, 0)) {
		return fault.Errorf(dense.ErrShape, "an array of %s of shape %v; shard 0 has rows of %s of shape %v", npy.Name(h.Kind), shape, t.Dtype, t.Shape[1:])
	}
	t.Shards[shard].Rows = shape[0]
	t.Shape[0] += shape[0]
	return nil
}

var shardsOf = regexp.MustCompile(`-of-([0-9]{5})\.npy$`)

// countFiles is how many shards a table without a manifest has, as the names of its
// files say.
func countFiles(ctx context.Context, folder, name string) (int, error) {
	names, err := list(ctx, join(escape(folder), name+"-?????-of-?????.npy"))
	if err != nil {
		return 0, err
	}
	if len(names) == 0 {
		return 0, errors.Errorf("no files %s", join(folder, name+"-00000-of-….npy"))
	}
	of := ""
	for _, file := range names {
		m := shardsOf.FindStringSubmatch(file)
		if m == nil {
			return 0, errors.Errorf("%s: the name of a shard ends in -of-, five digits and .npy", file)
		}
		if of == "" {
			of = m[1]
		}
		if m[1] != of {
			return 0, errors.Errorf("%s: shards of %s and of %s, which table is meant cannot be told", folder, of, m[1])
		}
	}
	n, err := strconv.Atoi(of)
	if err != nil || n < 1 {
		return 0, errors.Errorf("%s: a table of %s shards", names[0], of)
	}
	return n, nil
}
