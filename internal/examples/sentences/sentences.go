// Package sentences gives the examples real text that every machine with Go has: the sentences
// in the comments of Go's standard library, each with the part of the library that it is from.
package sentences

import (
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/pkg/errors"
	"gorgonia.org/tensor"
)

// A Sentence is a list of words in small letters.
type Sentence struct {
	Words []string
	Topic int // which of the topics it is from
}

// Shortest is how many words a sentence has at least.
const Shortest = 5

// Topics are folders of Go's standard library.
var Topics = []string{"archive", "compress", "crypto", "database", "encoding", "go", "image", "math", "net", "os", "regexp", "text", "time"}

// Library is the sentences of the topics, in an order that the seed decides: nine tenths to
// learn from, and a tenth that is held out. What two topics have alike, such as the licence, is
// left out. ids are those of the words of which train has two or more; 0 is that of all others.
func Library(seed uint64) (train, held []Sentence, ids map[string]int64, err error) {
	all, err := read(filepath.Join(build.Default.GOROOT, "src"), Topics)
	if err != nil {
		return nil, nil, nil, err
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	train, held = all[len(all)/10:], all[:len(all)/10]
	return train, held, vocabulary(train), nil
}

func vocabulary(list []Sentence) map[string]int64 {
	ids, count := map[string]int64{}, map[string]int{}
	for _, s := range list {
		for _, w := range s.Words {
			if count[w]++; count[w] == 2 {
				ids[w] = int64(len(ids) + 1)
			}
		}
	}
	return ids
}

// Batch is sentences as bags: the ids of their words, where each sentence begins, and the
// topics.
func Batch(list []Sentence, ids map[string]int64) (words, offsets, topics *tensor.Dense) {
	var w []int64
	o, c := make([]int64, len(list)), make([]int64, len(list))
	for i, s := range list {
		o[i], c[i] = int64(len(w)), int64(s.Topic)
		for _, word := range s.Words {
			w = append(w, ids[word])
		}
	}
	vector := func(v []int64) *tensor.Dense { return tensor.New(tensor.WithShape(len(v)), tensor.WithBacking(v)) }
	return vector(w), vector(o), vector(c)
}

func read(root string, topics []string) (all []Sentence, err error) {
	seen := map[string]int{} // the topic of a sentence, -1 if it has several
	for topic, folder := range topics {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "vendor"):
				return fs.SkipDir
			case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, comment := range file.Comments {
				for _, words := range split(comment.Text()) {
					key := strings.Join(words, " ")
					switch of, before := seen[key]; {
					case !before:
						seen[key] = topic
						all = append(all, Sentence{words, topic})
					case of != topic:
						seen[key] = -1
					}
				}
			}
			return nil
		})
		if err != nil {
			return nil, errors.Wrapf(err, "reading Go's library in %q", root)
		}
	}
	kept := all[:0]
	for _, s := range all {
		if seen[strings.Join(s.Words, " ")] >= 0 {
			kept = append(kept, s)
		}
	}
	return kept, nil
}

// split is the sentences of a text.
func split(text string) (sentences [][]string) {
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(text, "\n\n", ". "), func(r rune) bool { return strings.ContainsRune(".:;!?", r) }) {
		words := strings.FieldsFunc(strings.ToLower(part), func(r rune) bool { return !unicode.IsLetter(r) })
		if len(words) >= Shortest {
			sentences = append(sentences, words)
		}
	}
	return sentences
}
