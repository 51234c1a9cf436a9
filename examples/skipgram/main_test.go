package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/internal/examples/consoletest"
	"gorgonia.org/gather/internal/race"
)

var pictures = []string{"words.png"}

// artificial writes a text of two languages whose words never stand beside each
// other, and returns the flags to learn it.
func artificial(t *testing.T) []string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 0))
	var text strings.Builder
	for range 400 {
		letters := "ab"
		if rng.IntN(2) == 0 {
			letters = "xy"
		}
		for range 100 {
			word := ""
			for n := rng.IntN(64); len(word) < 6; n /= 2 {
				word += string(letters[n%2])
			}
			fmt.Fprint(&text, word, " ")
		}
		fmt.Fprintln(&text, ".")
	}
	file := filepath.Join(t.TempDir(), "text.txt")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o600))
	return []string{"-text=" + file, "-batch=256", "-dim=16", "-epochs=4", "-time=1000s"}
}

// Words of one language become neighbours.
func TestRun(t *testing.T) {
	report, folder := consoletest.Run(t, run, append(artificial(t), "-words=aabbaa,xyxyxy")...)
	assert.Contains(t, report, "40000 words of text: ")
	assert.Regexp(t, `\d+ words a second, \d+ pairs a second`, report)
	for word, letters := range map[string]string{"aabbaa": "ab, ", "xyxyxy": "xy, "} {
		found := regexp.MustCompile(`(?m)^  ` + word + ` +(.*)$`).FindStringSubmatch(report)
		require.NotNil(t, found, report)
		assert.Empty(t, strings.Trim(found[1], letters), "neighbours of %s", word)
		assert.Len(t, strings.Split(found[1], ", "), shownNeighbours)
	}
	consoletest.Pictures(t, report, folder, pictures...)
	vectors, err := os.ReadFile(filepath.Join(folder, "vectors.txt"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(vectors)), "\n")
	assert.Equal(t, "128 16", lines[0])
	assert.Len(t, lines, 129)
	assert.Len(t, strings.Fields(lines[1]), 17)
}

func TestSameSeedSameResult(t *testing.T) {
	consoletest.SameSeed(t, run, append(pictures, "vectors.txt"), append(artificial(t), "-epochs=1")...)
}

func TestInterrupted(t *testing.T) {
	report, folder := consoletest.Interrupted(t, 3, run, append(artificial(t), "-epochs=10000")...)
	assert.Regexp(t, `stopped after \d+ of \d+ words`, report)
	consoletest.Pictures(t, report, folder, pictures...)
}

func TestWrongFlags(t *testing.T) {
	empty := t.TempDir()
	consoletest.Mistakes(t, run, []consoletest.Mistake{
		{Name: "no epoch", Args: []string{"-epochs=0"}, Says: "flag -epochs: 0 is not allowed"},
		{Name: "no batch", Args: []string{"-batch=0"}, Says: "flag -batch: 0 is not allowed"},
		{Name: "one dimension", Args: []string{"-dim=1"}, Says: "flag -dim: 1 is not allowed"},
		{Name: "a rate of NaN", Args: []string{"-rate=NaN"}, Says: "flag -rate: NaN is not allowed"},
		{Name: "no time", Args: []string{"-time=0s"}, Says: "flag -time: 0 is not allowed"},
		{Name: "an argument", Args: []string{"train"}, Says: `unexpected argument "train"`},
	})
	out := "-out=" + t.TempDir()
	for text, says := range map[string]string{
		filepath.Join(empty, "none"): "flag -text: stat",
		empty:                        "flag -text: there are no files *.txt",
	} {
		_, complaint := consoletest.Fails(t, run, console.Failed, out, "-text="+text)
		assert.Contains(t, complaint, says)
	}
	short := filepath.Join(empty, "short.txt")
	require.NoError(t, os.WriteFile(short, []byte("a few words"), 0o600))
	_, complaint := consoletest.Fails(t, run, console.Failed, out, "-text="+short)
	assert.Contains(t, complaint, "0 words occur 3 times or more, 100 are needed")
	_, complaint = consoletest.Fails(t, run, console.Failed, append(artificial(t), out, "-words=aabbaa,zebra")...)
	assert.Contains(t, complaint, `flag -words: "zebra" is not among the words learnt`)
}

func TestSplit(t *testing.T) {
	got := split("The Union's  “strength”—isn’t 42 weak, 'tis.\n")
	if want := []string{"the", "union's", "strength", "isn't", "weak", "tis"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestComments(t *testing.T) {
	program := "// Copyright of some.\npackage p\n//go:noinline\n// One two.\nfunc f() { _ = \"no\" /* three */ }\n"
	if got, want := comments([]byte(program)), []string{"one", "two", "three"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Go's own library is found, and has words enough.
func TestWithoutText(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine reads all of Go's library, which takes the race detector half a minute")
	}
	words, _, err := readWords("")
	require.NoError(t, err)
	c, err := newCorpus(words, 3)
	require.NoError(t, err)
	assert.Greater(t, len(c.words), 5000)
	asked, err := c.chosen("")
	require.NoError(t, err)
	assert.Len(t, asked, mostAsked)
}
