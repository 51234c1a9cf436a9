package gatherbeam

import (
	"bufio"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
)

// Ratings are a [Table] of float32, (N, 3): a row is the user, the item and the
// rating, where user and item are rows counted from the first one of their block. With
// B blocks of users and of items it has B² shards, one for each pair: shard uB+i has
// the ratings of the users of block u and the items of block i, perhaps none.
//
// [Generation.Ratings] writes one from a stream. A pipeline that has the ratings of a
// pair of blocks together, because it makes them up or groups them, may write one as
// any other table: that is all there is to the format.

// checkRatingsTable refuses a table that has not the ratings of these factors.
func (f *Factors) checkRatingsTable(t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	if t.Dtype != "float32" || len(t.Shape) != 2 || t.Shape[1] != 3 {
		return fault.Errorf(dense.ErrShape, "table %s is %s of shape %v; ratings are float32 of shape (N, 3)", t.Name, t.Dtype, t.Shape)
	}
	if b := f.blocks(); len(t.Shards) != b*b {
		return fault.Errorf(dense.ErrShape, "table %s has %d shards; ratings of %d blocks of users and of items have %d", t.Name, len(t.Shards), b, b*b)
	}
	for i, s := range t.Shards {
		if s.Rows > math.MaxInt32 {
			return fault.Errorf(dense.ErrShape, "table %s: shard %d has %d ratings, at most %d are allowed", t.Name, i, s.Rows, math.MaxInt32)
		}
	}
	return nil
}

// readRatings reads the ratings of a pair of blocks. Of the table it needs the shard
// of the pair alone.
func readRatings(ctx context.Context, t *Table, shard int, users, items int64) ([]float32, error) {
	data, err := t.readShard(ctx, shard)
	if err != nil {
		return nil, err
	}
	ratings := elements[float32](data)
	return ratings, errors.WithMessage(checkRatings(ratings, users, items), t.File(shard))
}

// ratingsMemory is how many bytes of ratings a writer keeps before it puts them into
// files.
const ratingsMemory = 64 << 20

// A RatingsWriter divides ratings, as they come, by the blocks of their users and
// items: they are never in memory at once. What is more than 64 MiB waits in files of
// the folder for temporary files ([os.TempDir]), as much as there are ratings: 12
// bytes each. It is for one goroutine.
type RatingsWriter struct {
	g            *Generation
	name         string
	factors      Factors
	users, items layout // of the blocks
	pairs        []ratingsOfPair
	kept         int // bytes in memory
	most         int
	folder       string // of the files that wait; "" while there are none
	failed       error
}

type ratingsOfPair struct {
	ratings []float32
	waiting int64 // ratings in the file
}

// Ratings begins a table of ratings of the users and items of some factors. The
// generation may be another one than theirs, in another folder too.
func (g *Generation) Ratings(name string, f Factors) (*RatingsWriter, error) {
	const op = "Generation.Ratings"
	if err := checkName(name); err != nil {
		return nil, errors.WithMessage(err, op)
	}
	if err := f.check(); err != nil {
		return nil, errors.WithMessage(err, op)
	}
	return &RatingsWriter{
		g: g, name: name, factors: f, users: layoutOf(f.Users), items: layoutOf(f.Items),
		pairs: make([]ratingsOfPair, f.blocks()*f.blocks()), most: ratingsMemory,
	}, nil
}

// Add adds a rating of a user and an item, rows of their tables. NaN and infinities
// are taken as they are.
//
// Errors: [dense.ErrShape] for a user or an item that the tables do not have, after
// which the writer goes on; those of the file system, after which it does not.
func (w *RatingsWriter) Add(user, item int64, rating float32) error {
	if w.failed != nil {
		return w.failed
	}
	for _, row := range [...]struct {
		what   string
		number int64
		all    layout
	}{{"user", user, w.users}, {"item", item, w.items}} {
		if rows := row.all.rows(); row.number < 0 || row.number >= rows {
			return fault.Errorf(dense.ErrShape, "RatingsWriter.Add: %s %d, allowed are 0 to %d", row.what, row.number, rows-1)
		}
	}
	u, i := w.users.shardOf(user), w.items.shardOf(item)
	p := &w.pairs[u*w.factors.blocks()+i]
	p.ratings = append(p.ratings, float32(user-w.users.starts[u]), float32(item-w.items.starts[i]), rating)
	if w.kept += ratingBytes; w.kept > w.most {
		w.failed = errors.WithMessage(w.spill(), "RatingsWriter.Add")
	}
	return w.failed
}

const ratingBytes = 12

// spill puts the longest lists into files, until half of the memory is free.
func (w *RatingsWriter) spill() error {
	if w.folder == "" {
		folder, err := os.MkdirTemp("", "ratings-")
		if err != nil {
			return errors.WithStack(err)
		}
		w.folder = folder
	}
	longest := make([]int, len(w.pairs))
	for i := range longest {
		longest[i] = i
	}
	sort.Slice(longest, func(a, b int) bool { return len(w.pairs[longest[a]].ratings) > len(w.pairs[longest[b]].ratings) })
	for _, i := range longest {
		if w.kept <= w.most/2 {
			return nil
		}
		p := &w.pairs[i]
		file, err := os.OpenFile(w.waiting(i), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return errors.WithStack(err)
		}
		_, err = file.Write(num.Bytes(p.ratings))
		if closing := file.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return errors.WithStack(err)
		}
		p.waiting += int64(len(p.ratings) / 3)
		w.kept -= len(p.ratings) * 4
		p.ratings = p.ratings[:0]
	}
	return nil
}

func (w *RatingsWriter) waiting(pair int) string {
	return filepath.Join(w.folder, strconv.Itoa(pair))
}

// Close writes the table, one pair of blocks after the other, and removes the files
// that waited. [Generation.Commit] has to follow. Call it in any case: after an
// error it removes the files, and gives the error.
func (w *RatingsWriter) Close(ctx context.Context) (Table, error) {
	t, err := w.close(ctx)
	if w.folder != "" {
		if removing := os.RemoveAll(w.folder); err == nil {
			err = errors.WithStack(removing)
		}
	}
	if w.failed == nil {
		w.failed = errors.New("RatingsWriter: it is closed")
	}
	return t, errors.WithMessage(err, "RatingsWriter.Close")
}

func (w *RatingsWriter) close(ctx context.Context) (Table, error) {
	if w.failed != nil {
		return Table{}, w.failed
	}
	t := Table{Folder: w.g.folder, Name: w.name, Generation: w.g.name, Dtype: "float32", Shape: []int64{0, 3}, Shards: make([]ShardFile, len(w.pairs))}
	for i := range w.pairs {
		rows := w.pairs[i].waiting + int64(len(w.pairs[i].ratings)/3)
		t.Shards[i].Rows = rows
		t.Shape[0] += rows
	}
	if err := w.factors.checkRatingsTable(&t); err != nil {
		return Table{}, err
	}
	if err := w.g.add("Generation.Ratings", t); err != nil {
		return Table{}, err
	}
	for i := range w.pairs {
		data, err := w.take(i)
		if err == nil {
			err = t.writeShard(ctx, i, data)
		}
		if err != nil {
			return Table{}, err
		}
		t.Shards[i].CRC32C = checksum(data)
	}
	return t, t.record(ctx, t.Shards)
}

// take is the ratings of a pair, those that waited first.
func (w *RatingsWriter) take(i int) ([]byte, error) {
	p := &w.pairs[i]
	mine := num.Bytes(p.ratings)
	p.ratings = nil
	if p.waiting == 0 {
		return mine, nil
	}
	file, err := os.Open(w.waiting(i))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	defer file.Close()
	data := make([]byte, int(p.waiting)*ratingBytes, int(p.waiting)*ratingBytes+len(mine))
	if _, err := io.ReadFull(bufio.NewReader(file), data); err != nil {
		return nil, errors.WithStack(err)
	}
	return append(data, mine...), nil
}
