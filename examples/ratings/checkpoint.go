package main

import (
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"gorgonia.org/tensor"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/examples/ratings"
)

// A checkpoint holds more than rows: the progress and the flags are saved as tables, too,
// so that all is of one moment.
const (
	lastCheckpoint = "last" // all, to resume from
	bestCheckpoint = "best" // what is learnt, of the epoch with the least error
)

// progress is how far training has come: one row of a table, by these columns.
type progress struct {
	row     []float64
	history []float64 // (maxEpochs, 2): the error of each epoch on the ratings learnt from, and on valid
}

const (
	atEpoch   = iota // epochs that are finished
	atStep           // steps of the epoch that has begun
	lossSum          // over those
	bestEpoch        // counted from 1; 0: none yet
	bestError        // on valid
	progressColumns
)

func newProgress() progress {
	return progress{make([]float64, progressColumns), make([]float64, 2*maxEpochs)}
}

func (p progress) epoch() int { return int(p.row[atEpoch]) }
func (p progress) step() int  { return int(p.row[atStep]) }
func (p progress) best() int  { return int(p.row[bestEpoch]) }

// fingerprint is what a resumed run must have in common with the one that it resumes.
func (s *settings) fingerprint(d *ratings.Data) (names []string, values []float64) {
	sum := crc32.NewIEEE()
	var bytes [4]byte
	for k, value := range d.Value {
		for _, x := range [3]uint32{uint32(d.User[k]), uint32(d.Item[k]), math.Float32bits(value)} {
			bytes = [4]byte{byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24)}
			sum.Write(bytes[:])
		}
	}
	return []string{"ratings", "seed", "seed", "batch", "rate", "dense-rate", "l2"},
		[]float64{float64(sum.Sum32()), float64(s.seed >> 32), float64(s.seed & math.MaxUint32), float64(s.batch), s.rate, s.denseRate, s.l2}
}

// learnt are the tables of what the model has learnt.
func (w *weights) learnt() map[string]*embedding.Table {
	return map[string]*embedding.Table{
		"users": w.users, "items": w.items, "user biases": w.userBiases, "item biases": w.itemBiases,
		"dense shares": w.shares, "dense w": w.w, "dense c": w.c, "dense v": w.v,
	}
}

// tables are what a checkpoint holds.
func (t *trainer) tables(checkpoint string, fingerprint []float64) (map[string]*embedding.Table, embedding.Optimizer, error) {
	tables := t.weights.learnt()
	if checkpoint == bestCheckpoint {
		return tables, nil, nil
	}
	for name, row := range map[string][]float64{"progress": t.progress.row, "history": t.progress.history, "flags": fingerprint} {
		table, err := embedding.New(tensor.New(tensor.WithShape(1, len(row)), tensor.WithBacking(row)))
		if err != nil {
			return nil, nil, err
		}
		tables[name] = table
	}
	return tables, t.optimizer, nil
}

// saveTo writes a checkpoint.
func (t *trainer) saveTo(checkpoint string) error {
	if !t.save {
		return nil
	}
	_, fingerprint := t.fingerprint(t.data)
	tables, optimizer, err := t.tables(checkpoint, fingerprint)
	if err != nil {
		return err
	}
	return embedding.Save(filepath.Join(t.out, checkpoint), tables, optimizer)
}

// load reads a checkpoint. One of other ratings or flags is an error.
func (t *trainer) load(checkpoint string) error {
	names, want := t.fingerprint(t.data)
	got := make([]float64, len(want))
	tables, optimizer, err := t.tables(checkpoint, got)
	if err != nil {
		return err
	}
	folder := filepath.Join(t.out, checkpoint)
	if err := embedding.Load(folder, tables, optimizer); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return errors.Errorf("flag -resume: there is no checkpoint in %s", folder)
		}
		return err
	}
	for i, name := range names {
		if checkpoint == lastCheckpoint && got[i] != want[i] {
			return errors.Errorf("flag -resume: the checkpoint in %s was made with another -%s", folder, name)
		}
	}
	return nil
}

// removeTable removes a table of an older run, and its states of Adagrad.
func removeTable(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return errors.WithStack(err)
	}
	for _, old := range []string{path, path + ".adagrad"} {
		if err := os.RemoveAll(old); err != nil {
			return errors.WithStack(err)
		}
	}
	return nil
}
