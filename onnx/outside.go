package onnx

import (
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/pkg/errors"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
)

// ReadModelFile reads the model at path as [ReadModel] does, and the files in which
// it keeps data of initializers: PyTorch's exporter puts every tensor of more than
// 256 bytes into MODEL.onnx.data, and a model of more than 2 GiB has to.
//
// Those files must be in the folder of path or below it: a location outside of it, by
// dots, as an absolute path or by a symbolic link, is an error. They are read completely
// and kept in memory, like the model itself, within [WithMaxBytes].
func ReadModelFile(path string, options ...ReadOption) (*Model, error) {
	m, err := readModelFile(path, options)
	return m, errors.WithMessage(err, "onnx")
}

func readModelFile(path string, options []ReadOption) (*Model, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for its writer
	if err != nil {
		return nil, errors.Wrap(err, "reading")
	}
	if !info.Mode().IsRegular() {
		return nil, errors.Errorf("reading: %s is no regular file (%v)", path, info.Mode())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.Wrap(err, "reading")
	}
	defer f.Close()
	o := &outside{folder: filepath.Dir(path)}
	defer o.close()
	m, err := readModel(f, o, options)
	return m, errors.WithMessage(err, path)
}

// outside are the other files in which a model keeps data.
type outside struct {
	folder string
	root   *os.Root // of the folder, while the model is read and once a file was needed
	files  map[string][]byte
}

func (o *outside) close() {
	if o.root != nil {
		o.root.Close()
		o.root = nil
	}
}

// read reads the file at a location, unless it has been read already.
func (o *outside) read(location string, budget *opset.Budget) error {
	location = path.Clean(location)
	if o.files[location] != nil {
		return nil
	}
	name := filepath.FromSlash(location)
	if !filepath.IsLocal(name) {
		return errors.Errorf("location %q: a file in the model's folder or below it is allowed", fault.Cut(location))
	}
	data, err := o.contents(name, budget)
	if err != nil {
		return errors.WithMessagef(err, "location %q", fault.Cut(location))
	}
	if o.files == nil {
		o.files = map[string][]byte{}
	}
	o.files[location] = data
	return nil
}

// withoutCall is an error without the system call and the path that os names.
func withoutCall(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (o *outside) contents(name string, budget *opset.Budget) ([]byte, error) {
	var err error
	if o.root == nil {
		if o.root, err = os.OpenRoot(o.folder); err != nil {
			return nil, errors.WithStack(err)
		}
	}
	info, err := o.root.Stat(name) // before it is opened: a pipe would wait for its writer
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Errorf(fs.ErrNotExist, "there is no such file: keep it beside the model")
	}
	if err != nil {
		return nil, errors.WithStack(withoutCall(err))
	}
	if !info.Mode().IsRegular() {
		return nil, errors.Errorf("no regular file (%v)", info.Mode())
	}
	f, err := o.root.Open(name)
	if err != nil {
		return nil, errors.WithStack(withoutCall(err))
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, errors.WithStack(err)
	}
	if info.Size() > math.MaxInt {
		return nil, errors.Errorf("a file of %d bytes cannot be read into memory", info.Size())
	}
	if err := budget.Take(uint64(info.Size()), func() string { return "the file" }); err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	_, err = io.ReadFull(f, data)
	return data, errors.WithStack(err)
}

// A place is where a tensor's data stand outside of the model: the values of
// external_data, nil for a key that is not given.
type place struct{ location, offset, length []byte }

// add reads one entry of external_data. Keys of other names, such as checksum, have
// no meaning here.
func (p *place) add(b []byte) error {
	key, value, err := parseEntry(b)
	if err != nil {
		return err
	}
	var held *[]byte
	switch string(key) {
	case "location":
		held = &p.location
	case "offset":
		held = &p.offset
	case "length":
		held = &p.length
	default:
		return nil
	}
	if *held != nil {
		return errors.Errorf("external_data has two entries %q", key)
	}
	*held = value
	return nil
}

// parseEntry reads a StringStringEntryProto. The value is not nil.
func parseEntry(b []byte) (key, value []byte, err error) {
	value = []byte{}
	err = eachField("StringStringEntryProto", b, func(f field) error {
		switch f.number {
		case 1:
			key = f.bytes
		case 2:
			value = f.bytes
		default:
			return nil
		}
		return f.isText()
	})
	return key, value, err
}

// load finds the values of a tensor that keeps them in another file, if it does.
func (t *tensorProto) load(o *outside) error {
	if !t.external {
		return nil
	}
	switch {
	case o == nil:
		return errors.New("keeps its data in another file: ReadModelFile reads those")
	case t.hasRaw || t.typed != 0:
		return errors.New("has its data in the model and in another file")
	case len(t.place.location) == 0:
		return errors.New("keeps its data in another file, and does not say in which")
	}
	data := o.files[path.Clean(string(t.place.location))]
	offset, err := byteCount("offset", t.place.offset, 0)
	if err != nil {
		return err
	}
	e, shape := t.stored()
	// Without a length there are as many bytes as the tensor takes. Of a type that
	// does not exist here that is none, and Build says so.
	length, err := byteCount("length", t.place.length, opset.TensorBytes(e.dtype, shape))
	if err != nil {
		return err
	}
	if offset > uint64(len(data)) || length > uint64(len(data))-offset {
		return errors.Errorf("has its data in %q, %d bytes from %d on: the file has %d", fault.Cut(string(t.place.location)), length, offset, len(data))
	}
	t.raw, t.hasRaw = data[offset:offset+length], true
	return nil
}

// byteCount reads a number of external_data.
func byteCount(key string, text []byte, fallback uint64) (uint64, error) {
	if text == nil {
		return fallback, nil
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return 0, errors.Errorf("keeps its data in another file: %s is %q, a number of bytes is allowed", key, fault.Cut(string(text)))
	}
	return n, nil
}

// inlined is the message of a tensor in parts, with the data of the other file in
// raw_data.
func (t *tensorProto) inlined() ([][]byte, error) {
	parts, err := t.withoutValues()
	if err != nil {
		return nil, err
	}
	head := protowire.AppendVarint(protowire.AppendTag(nil, tensorRawData, protowire.BytesType), uint64(len(t.raw)))
	return append(parts, head, t.raw), nil
}
