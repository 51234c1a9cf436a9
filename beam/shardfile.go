package gatherbeam

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

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

// openShard reads the header of a shard's file, holds it against the table, and
// calls read with the size of the data, where they begin in the file and a reader
// that is there.
func (t Table) openShard(ctx context.Context, shard int, read func(r io.Reader, at, bytes int64) error) error {
	if err := npy.CheckMachine(); err != nil {
		return err
	}
	want, err := t.header(shard)
	if err != nil {
		return err
	}
	return readFile(ctx, t.File(shard), func(r io.Reader) error {
		h, at, err := npy.Read(r)
		if err != nil {
			return err
		}
		if h.Kind != want.Kind || !slices.Equal(h.Shape, want.Shape) {
			return errors.Errorf("an array of %s of shape %s, shard %d of table %s is one of %s of shape %s",
				npy.Name(h.Kind), fault.Shape(h.Shape), shard, t.Name, npy.Name(want.Kind), fault.Shape(want.Shape))
		}
		bytes, err := h.Bytes()
		if err != nil {
			return err
		}
		if s, ok := r.(io.Seeker); ok {
			size, err := s.Seek(0, io.SeekEnd)
			if err != nil {
				return errors.WithStack(err)
			}
			if err := h.CheckSize(at, size); err != nil {
				return err
			}
			if _, err := s.Seek(at, io.SeekStart); err != nil {
				return errors.WithStack(err)
			}
		}
		return read(r, at, bytes)
	})
}

// readShard is the data of a shard.
func (t Table) readShard(ctx context.Context, shard int) (data []byte, err error) {
	err = t.openShard(ctx, shard, func(r io.Reader, _, bytes int64) error {
		data, err = t.readData(r, shard, bytes)
		return err
	})
	return data, err
}

// readData reads the data of a shard to their end.
func (t Table) readData(r io.Reader, shard int, bytes int64) ([]byte, error) {
	// Where a file's size is not known its header may promise more than there is: then
	// memory grows with what comes.
	const most = 64 << 20
	data := make([]byte, 0, min(bytes, most))
	if _, ok := r.(io.Seeker); ok {
		data = make([]byte, 0, bytes)
	}
	for int64(len(data)) < bytes {
		next := int(min(bytes-int64(len(data)), most))
		data = slices.Grow(data, next)
		if err := npy.ReadData(r, data[len(data):len(data)+next]); err != nil {
			return nil, err
		}
		data = data[:len(data)+next]
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 {
		return nil, errors.New("the file goes on behind its array; files of one array are allowed")
	} else if err != nil && err != io.EOF {
		return nil, errors.WithStack(err)
	}
	if want := t.Shards[shard].CRC32C; want != "" && want != checksum(data) {
		return nil, errors.Errorf("the data have the checksum %s, the manifest says %s: another file, or a damaged one", checksum(data), want)
	}
	return data, nil
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
