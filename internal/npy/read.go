package npy

import (
	"encoding/binary"
	"io"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
)

// Read reads a header of version 1.0 or 2.0, and not one byte of the data behind
// it, which are little-endian and in C's order. at is where they begin.
func Read(r io.Reader) (h Header, at int64, err error) { return read(r, nil) }

// ReadAny reads a header of data in any order.
func ReadAny(r io.Reader) (h Header, o Order, err error) {
	h, _, err = read(r, &o)
	return h, o, err
}

func read(r io.Reader, order *Order) (h Header, at int64, err error) {
	lead := make([]byte, len(magic)+2)
	if n, err := io.ReadFull(r, lead); err != nil && !ended(err) {
		return Header{}, 0, errors.Wrap(err, "reading the header")
	} else if n < len(magic) || string(lead[:len(magic)]) != magic {
		return Header{}, 0, foreign(lead[:n])
	} else if err != nil {
		return Header{}, 0, short(n)
	}
	at = int64(len(lead))

	// The length of the header has as many bytes as the version says.
	var length [4]byte
	bytes := 0
	switch major, minor := lead[len(magic)], lead[len(magic)+1]; {
	case major == 1 && minor == 0:
		bytes = 2
	case major == 2 && minor == 0:
		bytes = 4
	default:
		return Header{}, 0, errors.Errorf("version %d.%d of the .npy format; 1.0 and 2.0 are allowed", major, minor)
	}
	if n, err := io.ReadFull(r, length[:bytes]); err != nil {
		return Header{}, 0, reading(err, at+int64(n))
	}
	at += int64(bytes)
	size := binary.LittleEndian.Uint32(length[:])
	if size > mostHeader {
		return Header{}, 0, errors.Errorf("a header of %d bytes; %d are allowed", size, mostHeader)
	}
	text := make([]byte, size)
	if n, err := io.ReadFull(r, text); err != nil {
		return Header{}, 0, reading(err, at+int64(n))
	}
	at += int64(size)
	h, err = parse(string(text), order)
	return h, at, err
}

// ReadData reads the next of the data, until they fill it.
func ReadData(r io.Reader, data []byte) error {
	if n, err := io.ReadFull(r, data); err != nil {
		if ended(err) {
			return errors.Errorf("the file is truncated: of the next %d bytes of data it has %d", len(data), n)
		}
		return errors.Wrap(err, "reading the data")
	}
	return nil
}

// CheckSize compares the size of a file whose data begin at so many bytes with
// what its header promises.
func (h Header) CheckSize(at, size int64) error {
	bytes, err := h.Bytes()
	if err != nil {
		return err
	}
	switch behind := size - at; {
	case behind < bytes:
		return errors.Errorf("the file is truncated: its header promises %d bytes of data, it has %d", bytes, max(behind, 0))
	case behind > bytes:
		return errors.Errorf("the file goes on for %d bytes behind its array; files of one array are allowed", behind-bytes)
	}
	return nil
}

func ended(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

// reading is the error of a read in the header, at this byte.
func reading(err error, at int64) error {
	if ended(err) {
		return short(int(at))
	}
	return errors.Wrap(err, "reading the header")
}

func short(n int) error {
	return errors.Errorf("the file is truncated: it ends after %d bytes, within its header", n)
}

// foreign is the error of a file that begins with other bytes.
func foreign(begin []byte) error {
	switch {
	case len(begin) == 0:
		return fault.Reword(io.EOF, "the file is empty")
	case len(begin) > 1 && string(begin[:2]) == "PK":
		return errors.New("a zip file; the arrays of a .npz file can be read once they are unpacked")
	}
	return errors.Errorf("no .npy file: it begins with %q, not with %q", begin, magic)
}
