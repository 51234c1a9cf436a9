package embedding

import (
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/gather/internal/npy"
)

// WriteFile writes the rows to a new file, for [Open] and for others: .safetensors or
// .npy, by its name.
//
// A .safetensors file has one tensor, "weight", of F64, F32, F16 or BF16. Rows of Int8 and
// Int4 are a tensor of U8, (rows, bytes of a row), laid out as [Storage] says, with
// metadata that name the storage, "int8" or "int4", and the columns; Python's safetensors
// reads it, and PyTorch's quantized.embedding_bag_byte_rowwise_offsets and
// embedding_bag_4bit_rowwise_offsets take it as it is. A .npy file has numbers of
// float64, float32 or float16. [WriteTables] writes several tables to one file.
//
// The file gets its name when it is whole and on the disk, as that of [Create]. Steps wait
// until then.
//
// Errors: [dense.ErrDtype] for a .npy file of BFloat16, Int8 or Int4, fs.ErrExist, and
// those of the file system. It works on Linux and macOS.
func (t *Table) WriteFile(path string) (err error) {
	const op = "WriteFile"
	if err := t.made(op); err != nil {
		return err
	}
	defer core.Recover(op, &err)
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return errClosed(op)
	}
	return errors.WithMessage(t.writeFile(path), op)
}

func (t *Table) writeFile(path string) error {
	if err := npy.CheckMachine(); err != nil {
		return err
	}
	resolved, err := newName(path)
	if err != nil {
		return err
	}
	var head []byte
	switch header, storage := t.array(); {
	case isSafetensors(path):
		head, err = t.tensorHeader(npy.Page)
	case !strings.HasSuffix(path, ".npy"):
		return errors.Errorf("the file's name is %s, it ends in .safetensors or .npy", fault.Name(path))
	case t.storage == BFloat16 || t.storage == Int8 || t.storage == Int4:
		return fault.Errorf(dense.ErrDtype, "a .npy file has no %s, a .safetensors file does", storage)
	default:
		// What optimisers have left beside an older file would be taken for this one's.
		if err := noStates(resolved); err != nil {
			return err
		}
		head, err = header.Encode(npy.Page)
	}
	if err != nil {
		return err
	}
	file, err := files.Create(path, int64(len(head)+len(t.memory.bytes)), func(mem []byte) error {
		mem = mem[copy(mem, head):]
		for block := range t.memory.blocks {
			mem = mem[copy(mem, block):]
		}
		return nil
	})
	if err != nil {
		return err
	}
	return file.Close(true)
}
