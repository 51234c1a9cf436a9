package sentences

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRead reads two topics: sentences that both have are in neither, those that one has twice
// are there once, and short ones and tests are not there.
func TestRead(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go":          "// Copyright of this: one two three four five.\n\n// Package a adds numbers, quickly and well.\n// It takes any numbers that fit: see Add.\n//\n// Nothing here can ever fail\npackage a\n",
		"a/in/b.go":       "package in\n\n/* It takes ANY numbers that fit */\nvar X = 1\n",
		"a/a_test.go":     "// This is a test of package a.\npackage a\n",
		"a/testdata/x.go": "// This is no part of the package.\npackage x\n",
		"b/b.go":          "// Copyright of this: one two three four five.\npackage b\n\nvar y = 1 // the second one of all letters\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	got, err := read(root, []string{"a", "b"})
	require.NoError(t, err)
	assert.Equal(t, []Sentence{
		{[]string{"package", "a", "adds", "numbers", "quickly", "and", "well"}, 0},
		{[]string{"it", "takes", "any", "numbers", "that", "fit"}, 0},
		{[]string{"nothing", "here", "can", "ever", "fail"}, 0},
		{[]string{"the", "second", "one", "of", "all", "letters"}, 1},
	}, got)
	_, err = read(root, []string{"c"})
	assert.ErrorContains(t, err, "reading Go's library")
}

// TestLibrary finds sentences of each topic in Go's own library, and the same ones for the same
// seed.
func TestLibrary(t *testing.T) {
	train, held, ids, err := Library(1)
	require.NoError(t, err)
	count := make([]int, len(Topics))
	for _, s := range train {
		count[s.Topic]++
	}
	assert.Greater(t, slices.Min(count), 30)
	assert.InDelta(t, len(train)/9, len(held), 2)
	assert.NotZero(t, ids["the"])
	if testing.Short() {
		return // it reads the library each time
	}
	_, again, _, err := Library(1)
	require.NoError(t, err)
	assert.Equal(t, held, again)
	_, other, _, err := Library(2)
	require.NoError(t, err)
	assert.NotEqual(t, held, other)
}

// TestBatch: a word that was there once has the id 0, as one that was not.
func TestBatch(t *testing.T) {
	list := []Sentence{{[]string{"a", "b", "a"}, 1}, {[]string{"c", "b"}, 0}}
	ids := vocabulary(list)
	assert.Equal(t, map[string]int64{"a": 1, "b": 2}, ids)
	words, offsets, topics := Batch(append(list, Sentence{[]string{"d"}, 2}), ids)
	assert.Equal(t, []int64{1, 2, 1, 0, 2, 0}, words.Int64s())
	assert.Equal(t, []int64{0, 3, 5}, offsets.Int64s())
	assert.Equal(t, []int64{1, 0, 2}, topics.Int64s())
}
