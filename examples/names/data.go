package main

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode"

	"github.com/pkg/errors"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/unicode/norm"
)

const (
	// A character that fewer names use teaches nothing and crowds the map of
	// embeddings; the few names with such a character are left out.
	rarest = 10

	// Of the subjects (territories, languages) one in holdOut is held out.
	holdOut = 10

	// With fewer names, one in holdOut would be too few to measure anything.
	fewestNames = 200
)

// end is the token that ends a name. The same token stands for the empty places
// before a name's first character.
const end = 0

// corpus is the names as numbers.
type corpus struct {
	symbols     []rune  // symbols[token], sorted; that of end is the zero rune
	train, held [][]int // names as tokens, each ending with end
}

// name is one name of a subject, before the characters have numbers.
type name struct {
	text string
	held bool
}

// readCorpus collects what the given languages call the territories and the
// languages of the world.
//
// The split is by subject, not by name: "Norwegen" is held out exactly if
// "Norvège" is. Held-out names are then of places no training name speaks of;
// splitting name by name would let a model answer "Norvège" from "Norvegia".
// A name that both sides have is taken out of the held-out ones.
func readCorpus(languages []language.Tag) (*corpus, error) {
	names := collect(languages)
	common := commonLetters(names)

	c := &corpus{symbols: append([]rune{end}, common...)}
	token := make(map[rune]int, len(c.symbols))
	for i, r := range c.symbols {
		token[r] = i
	}
	for _, n := range names {
		tokens, ok := encode(n.text, token)
		switch {
		case !ok:
		case n.held:
			c.held = append(c.held, tokens)
		default:
			c.train = append(c.train, tokens)
		}
	}
	if total := len(c.train) + len(c.held); total < fewestNames || len(c.held) == 0 {
		return nil, errors.Errorf("these languages have %d usable names, which is too few to learn from", total)
	}
	return c, nil
}

// collect returns the distinct names in a fixed order, the training ones first.
func collect(languages []language.Tag) []name {
	var training, heldOut []name
	seen := map[string]bool{}
	// Two passes: the training side owns the names that both sides have.
	for _, held := range []bool{false, true} {
		each(languages, func(subject, text string) {
			if isHeldOut(subject) != held || seen[text] {
				return
			}
			seen[text] = true
			if held {
				heldOut = append(heldOut, name{text, true})
			} else {
				training = append(training, name{text, false})
			}
		})
	}
	return append(training, heldOut...)
}

// each calls f with every usable name of every subject in every language.
func each(languages []language.Tag, f func(subject, text string)) {
	for _, l := range languages {
		lower := cases.Lower(l) // Turkish has its own idea of the lower case of I
		use := func(subject, text string) {
			text = norm.NFC.String(lower.String(text))
			text = strings.ReplaceAll(text, "’", "'")
			if usable(subject, text) {
				f(subject, text)
			}
		}
		if territories := display.Regions(l); territories != nil {
			for _, r := range language.Supported.Regions() {
				use(r.String(), territories.Name(r))
			}
		}
		if tongues := display.Languages(l); tongues != nil {
			for _, b := range language.Supported.BaseLanguages() {
				use(b.String(), tongues.Name(b))
			}
		}
	}
}

// usable leaves out what is no name: nothing at all, the subject's own code
// (CLDR's answer where it has no name), and names with an explanation, as in
// "Saint-Martin (partie française)".
func usable(subject, text string) bool {
	if text == "" || strings.EqualFold(text, subject) {
		return false
	}
	for _, r := range text {
		if !unicode.In(r, unicode.L, unicode.M) && !strings.ContainsRune(" -'", r) {
			return false
		}
	}
	return true
}

// isHeldOut depends on nothing but the subject, so that runs with other seeds
// and other languages are measured on the same subjects.
func isHeldOut(subject string) bool {
	h := fnv.New32a()
	h.Write([]byte(subject))
	return h.Sum32()%holdOut == 0
}

// commonLetters returns, sorted, the characters that enough training names use.
// Only training names count: a character met nowhere else cannot be learnt.
func commonLetters(names []name) []rune {
	uses := map[rune]int{}
	for _, n := range names {
		inName := map[rune]bool{}
		for _, r := range n.text {
			if !n.held && !inName[r] {
				inName[r] = true
				uses[r]++
			}
		}
	}
	var common []rune
	for r, n := range uses {
		if n >= rarest {
			common = append(common, r)
		}
	}
	slices.Sort(common)
	return common
}

// encode returns text as tokens; ok is false if it has a character without one.
func encode(text string, token map[rune]int) (tokens []int, ok bool) {
	for _, r := range text {
		t, known := token[r]
		if !known {
			return nil, false
		}
		tokens = append(tokens, t)
	}
	return append(tokens, end), true
}

// decode is the inverse of encode.
func (c *corpus) decode(tokens []int) string {
	var text strings.Builder
	for _, t := range tokens {
		if t != end {
			text.WriteRune(c.symbols[t])
		}
	}
	return text.String()
}
