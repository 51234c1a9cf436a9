package embedding

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/gather/internal/npy"
	"gorgonia.org/gather/internal/safetensors"
)

// WriteTables writes the rows of tables of any storages to one new .safetensors file, each
// as a tensor of the name that it has in the map. [Open] reads one of them, by
// [WithTensor].
//
// A name is any valid UTF-8 but "__metadata__". Tensors are those that [Table.WriteFile]
// describes; the metadata of rows of Int8 and Int4 are "NAME.storage" and "NAME.columns".
// Numbers of more bytes come first, so that all are aligned, and else names in ascending order:
// the same tables make the same file. One table may have several names, and is written for
// each.
//
// The file gets its name when it is whole and on the disk, as that of [Create]. Steps wait
// until then.
//
// Errors: [dense.ErrOption] for a name, no tables, and a file that does not end in
// .safetensors; fs.ErrExist, and those of the file system. It works on Linux and macOS.
func WriteTables(path string, tables map[string]*Table) (err error) {
	const op = "WriteTables"
	defer core.Recover(op, &err)
	switch {
	case !isSafetensors(path):
		return fault.Errorf(dense.ErrOption, "%s: the file's name is %s, it ends in .safetensors", op, fault.Name(path))
	case len(tables) == 0:
		return fault.Errorf(dense.ErrOption, "%s: there are no tables", op)
	}
	names := slices.Sorted(maps.Keys(tables))
	var locked []*Table
	for _, name := range names {
		if err := safetensors.CheckName(name); err != nil {
			return fault.Errorf(dense.ErrOption, "%s: %v", op, err)
		}
		if err := tables[name].made(op); err != nil {
			return errors.WithMessage(err, fault.Name(name))
		}
		locked = append(locked, tables[name])
	}
	// As a step locks them.
	slices.SortFunc(locked, func(a, b *Table) int { return cmp.Compare(a.number, b.number) })
	for _, t := range slices.Compact(locked) {
		t.mu.RLock()
		defer t.mu.RUnlock()
		if t.closed {
			return errClosed(op)
		}
	}
	return errors.WithMessage(writeTables(path, names, tables), op)
}

func writeTables(path string, names []string, tables map[string]*Table) error {
	if err := npy.CheckMachine(); err != nil {
		return err
	}
	if _, err := newName(path); err != nil {
		return err
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(tables[b].alignment(), tables[a].alignment())
	})
	list, about, at := make([]safetensors.Tensor, len(names)), map[string]string{"format": "pt"}, int64(0)
	for i, name := range names {
		tensor, own, err := tables[name].tensor(name)
		if err != nil {
			return errors.WithMessage(err, fault.Name(name))
		}
		for key, text := range own {
			about[metadataOf(name, key)] = text
		}
		tensor.Begin, tensor.End = at, at+tensor.End
		list[i], at = tensor, tensor.End
	}
	head, err := safetensors.Encode(list, about, npy.Page)
	if err != nil {
		return err
	}
	file, err := files.Create(path, int64(len(head))+at, func(mem []byte) error {
		mem = mem[copy(mem, head):]
		for _, name := range names {
			for block := range tables[name].memory.blocks {
				mem = mem[copy(mem, block):]
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return file.Close(true)
}

// alignment is the bytes of a number of the storage, 1 for rows that are read as bytes.
func (t *Table) alignment() int {
	if t.storage == Int8 || t.storage == Int4 {
		return 1
	}
	return t.storage.RowBytes(1)
}
