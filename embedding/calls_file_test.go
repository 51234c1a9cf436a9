package embedding_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/badinput"
	"gorgonia.org/tensor"
)

// fileCalls are the calls of TestCalls that have to do with files.
func fileCalls(t *testing.T, tables map[string]*embedding.Table) map[string]func(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "text")
	ok(t, os.WriteFile(text, []byte("hello"), 0o666))
	paths := []string{"", ".", folder, text, filepath.Join(text, "below"), "\x00", filepath.Join(folder, "no", "folder")}
	optimizers := map[string]embedding.Optimizer{"nil": nil, "stranger": stranger{}, "SGD": newSGD(t)}

	// checkpoint calls Save or Load with all folders, tables and optimisers.
	checkpoint := func(call func(dir string, tables map[string]*embedding.Table, o embedding.Optimizer) error) func(t *testing.T) {
		return func(t *testing.T) {
			for _, dir := range append(paths[:len(paths):len(paths)], t.TempDir()) {
				if dir == "." {
					continue // a checkpoint can be there
				}
				for optimizer, o := range optimizers {
					badinput.Try(t, dir+optimizer, func() { _ = call(dir, nil, o) })
					for name, table := range tables {
						badinput.Try(t, dir+optimizer+name, func() {
							err := call(dir, map[string]*embedding.Table{name: table, "\xff": tables["good"]}, o)
							if err == nil {
								t.Errorf("%q, %s, %s: no error", dir, optimizer, name) // the good table would be there twice
							}
						})
					}
				}
			}
		}
	}
	return map[string]func(t *testing.T){
		"Create": func(t *testing.T) {
			n := 0
			for _, path := range append(paths[:len(paths):len(paths)], "file") {
				for _, dt := range []tensor.Dtype{{}, tensor.Float32, tensor.String} {
					for _, rows := range hostileInts {
						for _, dim := range hostileInts {
							if path == "file" {
								n++
								path = filepath.Join(folder, fmt.Sprint("file", n, ".npy"))
							}
							badinput.OneOf(t, func() (*embedding.Table, error) {
								table, err := embedding.Create(path, dt, rows, dim, embedding.Zeros())
								if err == nil {
									ok(t, table.Close())
								}
								return table, err
							}, path, fmt.Sprint(dt, rows, dim))
						}
					}
				}
			}
		},
		"Open": func(t *testing.T) {
			for _, path := range paths {
				for _, opts := range [][]embedding.TableOption{nil, {embedding.WithReadOnly()}, {{}}} {
					badinput.OneOf(t, func() (*embedding.Table, error) { return embedding.Open(path, opts...) }, path)
				}
			}
		},
		"WithTensor": func(t *testing.T) {
			for _, name := range []string{"", "w", "\xff\x00"} {
				badinput.OneOf(t, func() (*embedding.Table, error) { return embedding.Open("no.safetensors", embedding.WithTensor(name)) }, name)
				badinput.OneOf(t, func() (*embedding.Table, error) {
					return embedding.Make(tensor.Float32, 1, 1, embedding.Zeros(), embedding.WithTensor(name))
				}, name)
			}
		},
		"Table.WriteFile": func(t *testing.T) {
			for name, table := range tables {
				for _, path := range []string{"", ".", "/", "x", "\x00.npy", filepath.Join(t.TempDir(), "x.npy"), filepath.Join(t.TempDir(), "no", "x.safetensors")} {
					badinput.Try(t, name+path, func() { _ = table.WriteFile(path) })
				}
			}
		},
		"WriteTables": func(t *testing.T) {
			for name, table := range tables {
				for _, path := range []string{"", "x", "\x00.safetensors", filepath.Join(t.TempDir(), "x.safetensors"), filepath.Join(t.TempDir(), "no", "x.safetensors")} {
					for _, key := range []string{"", "\xff", "a", "__metadata__"} {
						badinput.Try(t, name+path+key, func() { _ = embedding.WriteTables(path, map[string]*embedding.Table{key: table}) })
					}
				}
			}
		},
		"WithReadOnly": func(t *testing.T) {
			badinput.OneOf(t, func() (*embedding.Table, error) {
				return embedding.New(matrix(1, 2, float32(1), 2), embedding.WithReadOnly())
			}, "New")
		},
		"Save": checkpoint(embedding.Save),
		"Load": checkpoint(embedding.Load),
		"Table.Sync": func(t *testing.T) {
			for name, table := range tables {
				badinput.Try(t, name, func() {
					if err := table.Sync(); (err == nil) != (name == "good") {
						t.Errorf("%s: error %v", name, err)
					}
				})
			}
		},
	}
}
