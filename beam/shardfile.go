package gatherbeam

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/npy"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is the CRC-32C of a shard's data as manifests have it.
func checksum(data []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(data, castagnoli)) }

// header is what the file of a shard has to begin with.
func (t Table) header(shard int) (npy.Header, error) {
	n, err := numberOf(t.Dtype)
	if err != nil {
		return npy.Header{}, err
	}
	shape, err := intsOf(withRows(t.Shape, t.Shards[shard].Rows))
	return npy.Header{Kind: n.kind, Shape: shape}, err
}

// shardReader is the file of a shard whose header is as its table says.
type shardReader struct {
	fs    filesystem.Interface
	r     io.ReadCloser
	path  string
	at    int64 // where the data begin
	bytes int64 // of data
	crc   string
}

// openShard opens the file of a shard and reads its header.
func (t Table) openShard(ctx context.Context, shard int) (_ *shardReader, err error) {
	if err := npy.CheckMachine(); err != nil {
		return nil, err
	}
	want, err := t.header(shard)
	if err != nil {
		return nil, err
	}
	f := &shardReader{path: t.File(shard), crc: t.Shards[shard].CRC32C}
	if f.fs, f.r, err = open(ctx, f.path); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
			err = errors.WithMessage(err, f.path)
		}
	}()
	h, at, err := npy.Read(f.r)
	if err != nil {
		return nil, err
	}
	if h.Kind != want.Kind || !slices.Equal(h.Shape, want.Shape) {
		return nil, errors.Errorf("an array of %s of shape %s; shard %d of table %s is one of %s of shape %s",
			npy.Name(h.Kind), fault.Shape(h.Shape), shard, t.Name, npy.Name(want.Kind), fault.Shape(want.Shape))
	}
	if f.at = at; err == nil {
		f.bytes, err = h.Bytes()
	}
	if s, ok := f.r.(io.Seeker); ok && err == nil {
		err = checkSize(s, h, at)
	}
	return f, err
}

// checkSize holds the size of a file against its header, and goes back to where the
// data begin.
func checkSize(s io.Seeker, h npy.Header, at int64) error {
	size, err := s.Seek(0, io.SeekEnd)
	if err != nil {
		return errors.WithStack(err)
	}
	if err := h.CheckSize(at, size); err != nil {
		return err
	}
	_, err = s.Seek(at, io.SeekStart)
	return errors.WithStack(err)
}

// Close closes the file. One that is only read has nothing to lose by it.
func (f *shardReader) Close() {
	_ = f.r.Close()
	_ = f.fs.Close()
}

// all reads the data, once.
func (f *shardReader) all() ([]byte, error) {
	data, err := f.readAll()
	return data, errors.WithMessage(err, f.path)
}

func (f *shardReader) readAll() ([]byte, error) {
	// Where a file's size is not known its header may promise more than there is: then
	// memory grows with what comes.
	const most = 64 << 20
	data := make([]byte, 0, min(f.bytes, most))
	if _, ok := f.r.(io.Seeker); ok {
		data = make([]byte, 0, f.bytes)
	}
	for int64(len(data)) < f.bytes {
		next := int(min(f.bytes-int64(len(data)), most))
		data = slices.Grow(data, next)
		if err := npy.ReadData(f.r, data[len(data):len(data)+next]); err != nil {
			return nil, err
		}
		data = data[:len(data)+next]
	}
	if n, err := f.r.Read(make([]byte, 1)); n > 0 {
		return nil, errors.New("the file goes on behind its array; files of one array are allowed")
	} else if err != nil && err != io.EOF {
		return nil, errors.WithStack(err)
	}
	if f.crc == "" {
		return data, nil
	}
	if sum := checksum(data); sum != f.crc {
		return nil, errors.Errorf("the data have the checksum %s, the manifest says %s: another table's file, or a damaged one", sum, f.crc)
	}
	return data, nil
}

// readShard is the data of a shard.
func (t Table) readShard(ctx context.Context, shard int) (data []byte, err error) {
	f, err := t.openShard(ctx, shard)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.all()
}

// writeShard writes the file of a shard.
func (t Table) writeShard(ctx context.Context, shard int, data []byte) error {
	if err := npy.CheckMachine(); err != nil {
		return err
	}
	h, err := t.header(shard)
	if err != nil {
		return err
	}
	if bytes, err := h.Bytes(); err != nil {
		return err
	} else if bytes != int64(len(data)) {
		return errors.Errorf("shard %d of table %s: %d bytes of data, it has %d", shard, t.Name, len(data), bytes)
	}
	head, err := h.Encode(npy.Page)
	if err != nil {
		return err
	}
	return writeFile(ctx, t.File(shard), func(w io.Writer) error {
		if _, err := w.Write(head); err != nil {
			return errors.WithStack(err)
		}
		_, err := w.Write(data)
		return errors.WithStack(err)
	})
}
