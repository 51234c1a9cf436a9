package gatherbeam

import (
	"context"

	"github.com/pkg/errors"
)

// written is what a job says of the shards that it has written, in a file beside
// them: Commit need not read them again to know their checksums. It is the last
// file of a table.
type written struct {
	Shards []ShardFile `json:"shards"`
}

func (t Table) writtenFile() string { return join(t.folder(), t.Name+".written.json") }

// record writes what has been written of a table.
func (t Table) record(ctx context.Context, shards []ShardFile) error {
	return writeJSON(ctx, t.writtenFile(), written{Shards: shards})
}

// written is what a job has written of a table: all of it, or there is an error.
func (t Table) written(ctx context.Context) ([]ShardFile, error) {
	var w written
	if err := readJSON(ctx, t.writtenFile(), &w); err != nil {
		return nil, errors.WithMessage(err, "not all of it has been written")
	}
	if len(w.Shards) != len(t.Shards) {
		return nil, errors.Errorf("%s: %d shards, the table has %d", t.writtenFile(), len(w.Shards), len(t.Shards))
	}
	for i, s := range w.Shards {
		if s.Rows != t.Shards[i].Rows || s.CRC32C == "" {
			return nil, errors.Errorf("%s: shard %d has %d rows, checksum %q; the table has %d", t.writtenFile(), i, s.Rows, s.CRC32C, t.Shards[i].Rows)
		}
	}
	return w.Shards, nil
}
