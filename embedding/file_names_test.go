//go:build linux || darwin

package embedding_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

func create(t *testing.T, path string) *embedding.Table {
	t.Helper()
	table, err := embedding.Create(path, tensor.Float32, 30, 5, embedding.Normal(1, 0, 1))
	ok(t, err)
	return table
}

func open(t *testing.T, path string) *embedding.Table {
	t.Helper()
	table, err := embedding.Open(path)
	ok(t, err)
	return table
}

// afterSteps is a table in memory after steps of Adam from 0 on.
func afterSteps(t *testing.T, n int) []uint64 {
	t.Helper()
	table, o := newPair(t, 1)["items"], newAdam(t)
	for k := range n {
		update(t, o, table, k)
	}
	return bits(t, table)
}

// TestLinks: a table has one state by whatever link it is opened, also in folders that
// are links.
func TestLinks(t *testing.T) {
	folder := t.TempDir()
	ok(t, os.Mkdir(filepath.Join(folder, "real"), 0o777))
	ok(t, os.Symlink("real", filepath.Join(folder, "folder")))
	path := filepath.Join(folder, "folder", "items.npy")
	ok(t, os.Symlink("folder/items.npy", filepath.Join(folder, "link")))
	table := create(t, path)
	update(t, newAdam(t), table, 0)
	ok(t, table.Close())
	for k, name := range []string{"link", "real/items.npy", "folder/items.npy", "link"} {
		table := open(t, filepath.Join(folder, name))
		update(t, newAdam(t), table, k+1)
		sameBits(t, name, bits(t, table), afterSteps(t, k+2))
		ok(t, table.Close())
	}
	if entries, err := os.ReadDir(filepath.Join(folder, "real")); err != nil || len(entries) != 2 || entries[1].Name() != "items.npy.adam" {
		t.Errorf("the folder has %v, error %v", entries, err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 3 {
		t.Errorf("the folder of the link has %v, error %v", entries, err)
	}
}

// TestRenamedWithStates: a table that is renamed together with its folder goes on.
func TestRenamedWithStates(t *testing.T) {
	folder := t.TempDir()
	path, other := filepath.Join(folder, "items.npy"), filepath.Join(folder, "other")
	table := create(t, path)
	update(t, newAdam(t), table, 0)
	ok(t, table.Close())
	ok(t, os.Rename(path, other))
	ok(t, os.Rename(path+".adam", other+".adam"))
	table = open(t, other)
	defer table.Close()
	update(t, newAdam(t), table, 1)
	sameBits(t, "the table", bits(t, table), afterSteps(t, 2))
}

// TestAlikeNames: users and users.npy are two tables.
func TestAlikeNames(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"users", "users.npy", "users.npy.npy"} {
		table := create(t, filepath.Join(folder, name))
		defer table.Close()
		o := newAdam(t)
		update(t, o, table, 0)
		update(t, o, table, 1)
		sameBits(t, name, bits(t, table), afterSteps(t, 2))
	}
}

// TestFormerStates: a folder of states that has its name from former times, without
// .npy, is taken up unless a table of that name is there.
func TestFormerStates(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "users.npy")
	table := create(t, path)
	update(t, newAdam(t), table, 0)
	ok(t, table.Close())
	former := filepath.Join(folder, "users.adam")
	ok(t, os.Rename(path+".adam", former))

	reader, err := embedding.Open(path, embedding.WithReadOnly())
	ok(t, err)
	if err := embedding.Save(t.TempDir(), pair{"users": reader}, newAdam(t)); err == nil || !strings.Contains(err.Error(), "WithReadOnly") {
		t.Errorf("states that a reader cannot lock: error %v", err)
	}
	ok(t, reader.Close())

	table = open(t, path)
	checkpoint := t.TempDir()
	ok(t, embedding.Save(checkpoint, pair{"users": table}, newAdam(t))) // takes it up, too
	loaded, o := newPair(t, 2)["items"], newAdam(t)
	ok(t, embedding.Load(checkpoint, pair{"users": loaded}, o))
	update(t, o, loaded, 1)
	sameBits(t, "saved", bits(t, loaded), afterSteps(t, 2))
	ok(t, table.Close())
	if _, err := os.Stat(former); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the former folder is still there, error %v", err)
	}

	ok(t, os.Rename(path+".adam", former))
	ok(t, os.Rename(path, path+".away"))
	for _, name := range []string{"users", "users.npy"} {
		_, err := embedding.Create(filepath.Join(folder, name), tensor.Float32, 30, 5, embedding.Zeros())
		if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "users.adam has the states of an optimiser for an older table") {
			t.Errorf("a new table %s: error %v", name, err)
		}
	}
	ok(t, os.Rename(path+".away", path))

	ok(t, os.WriteFile(filepath.Join(folder, "users"), nil, 0o666))
	table = open(t, path)
	update(t, newAdam(t), table, 1)
	ok(t, table.Close())
	for _, there := range []string{former, path + ".adam"} {
		if _, err := os.Stat(there); err != nil {
			t.Error(err)
		}
	}
}

// TestSaveBesideOthers: where the manifest is a folder nothing is written, however often.
func TestSaveBesideOthers(t *testing.T) {
	dir := t.TempDir()
	ok(t, os.MkdirAll(filepath.Join(dir, "manifest.json", "below"), 0o777))
	for range 3 {
		if err := embedding.Save(dir, newPair(t, 1), nil); err == nil || !strings.Contains(err.Error(), "manifest.json is no regular file") {
			t.Errorf("error %v", err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, error %v", entries, err)
	}
}

// TestLoadOfOthers: what is no regular file is refused, not waited for, and a Load that
// fails leaves no states.
func TestLoadOfOthers(t *testing.T) {
	items := filepath.Join("generation-000001", "items.v.npy")
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	folder := func(path string) error { return os.Mkdir(path, 0o700) }
	device := func(path string) error { return os.Symlink("/dev/zero", path) }
	for name, c := range map[string]struct {
		file string
		put  func(path string) error
	}{
		"manifest a pipe": {"manifest.json", pipe}, "manifest a folder": {"manifest.json", folder}, "manifest a device": {"manifest.json", device},
		"file a pipe": {items, pipe}, "file a folder": {items, folder}, "file a device": {items, device},
		"another checksum": {items, func(path string) error { return os.WriteFile(path, make([]byte, 5000), 0o600) }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := saved(t)
			ok(t, os.Remove(filepath.Join(dir, c.file)))
			ok(t, c.put(filepath.Join(dir, c.file)))
			folder := t.TempDir()
			p := newPair(t, 7)
			p.inFile(t, folder, 7)
			defer p["items"].Close()
			done := make(chan error, 1)
			go func() { done <- embedding.Load(dir, p, newAdam(t)) }()
			select {
			case err := <-done:
				if err == nil || !strings.HasPrefix(err.Error(), "Load: ") || !strings.Contains(err.Error(), c.file) {
					t.Errorf("error %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("Load waits")
			}
			if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
				t.Errorf("the folder of the table has %v, error %v", entries, err)
			}
			p.same(t, "after the error", newPair(t, 7))
		})
	}
}

// TestMissing: what Open says of a file that is missing is what can be done: Create makes a
// new table where nothing is in its way.
func TestMissing(t *testing.T) {
	folder := t.TempDir()
	dangling := filepath.Join(folder, "link.npy")
	ok(t, os.Symlink("nowhere", dangling))
	ok(t, os.Symlink("link.npy", filepath.Join(folder, "second.npy")))
	ok(t, os.Mkdir(filepath.Join(folder, "old.npy.adam"), 0o777))
	ok(t, os.Mkdir(filepath.Join(folder, "folder.npy"), 0o777))
	for name, c := range map[string]struct{ open, create string }{
		"items.npy":         {"; Create makes a new table", ""},
		"link.npy":          {"/link.npy is a symbolic link that leads nowhere", "a new table needs another name, this one is a symbolic link that leads nowhere"},
		"second.npy":        {"/second.npy is a symbolic link that leads nowhere", "this one is a symbolic link that leads nowhere"},
		"items.safetensors": {"items.safetensors: no such file or directory", "it writes a .npy file"},
		"items.npy.partial": {"items.npy.partial: no such file or directory", "being written"},
		"no/items.npy":      {"no: no such file or directory", "no: no such file or directory"},
		"old.npy":           {"old.npy: no such file or directory", "old.npy.adam has the states of an optimiser for an older table"},
		"folder.npy":        {"folder.npy is no regular file", "a new table needs another name: file already exists"},
	} {
		path := filepath.Join(folder, name)
		_, err := embedding.Open(path)
		if text, _, _ := strings.Cut(fmt.Sprint(err), " ("); !strings.HasSuffix(text, c.open) { // without the mode of a folder
			t.Errorf("Open of %s: %v, want %s", name, err, c.open)
		}
		if errors.Is(err, fs.ErrNotExist) == (name == "folder.npy") {
			t.Errorf("Open of %s: %v is of another kind", name, err)
		}
		table, err := embedding.Create(path, tensor.Float32, 3, 5, embedding.Zeros())
		if (err == nil) != (c.create == "") || err != nil && !strings.Contains(err.Error(), c.create) {
			t.Errorf("Create of %s: %v, want %s", name, err, c.create)
		}
		if err == nil {
			ok(t, table.Close())
		}
	}
}

// TestCreateNames refuses names that say that the file is another.
func TestCreateNames(t *testing.T) {
	for name, word := range map[string]string{"items.safetensors": "a .npy file", "items.npy.partial": "being written"} {
		path := filepath.Join(t.TempDir(), name)
		_, err := embedding.Create(path, tensor.Float32, 3, 5, embedding.Zeros())
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
}

// TestLinkedSafetensors: why a table cannot be stepped does not depend on what its file is
// called behind a link, as those of a cache of models are.
func TestLinkedSafetensors(t *testing.T) {
	folder := t.TempDir()
	table, err := embedding.Make(tensor.Float32, 30, 5, embedding.Zeros())
	ok(t, err)
	link := filepath.Join(folder, "model.safetensors")
	ok(t, table.WriteFile(link))
	ok(t, os.Rename(link, filepath.Join(folder, "5d41402abc")))
	ok(t, os.Symlink("5d41402abc", link))
	opened, err := embedding.Open(link)
	ok(t, err)
	defer opened.Close()
	if err := step(t, newSGD(t), opened, 1); err == nil || !strings.Contains(err.Error(), "as all .safetensors files") {
		t.Errorf("a step: %v", err)
	}
}
