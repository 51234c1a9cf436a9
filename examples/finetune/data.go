package main

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/unicode/norm"
)

// languages are those whose names the classifier tells apart, in the order of its
// outputs. classifier.py takes them from names.tsv, sorted.
var languages = []string{"cs", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "pl", "pt", "ro", "sv", "tr"}

// A part is what a name is for. It depends on what is named alone: names that are
// held out are of places and languages that no other name speaks of.
type part int

const (
	heldOut  part = iota // to measure
	script               // classifier.py has learnt from them
	finetune             // to learn from here
)

func (p part) String() string { return [...]string{"held-out", "script", "finetune"}[p] }

// partOf divides subjects: two tenths, four tenths, four tenths.
func partOf(subject string) part {
	h := fnv.New32a()
	h.Write([]byte(subject))
	switch d := h.Sum32() % 10; {
	case d < 2:
		return heldOut
	case d < 6:
		return script
	}
	return finetune
}

// A name is what a territory or a language is called in a language.
type name struct {
	text     string
	language int // in languages
	part     part
}

// collect returns the names of the world's territories and languages in all of the
// languages, in a fixed order. What several languages call alike has no answer and
// is left out.
func collect() []name {
	var names []name
	spoken := map[string]map[int]bool{}
	for l, code := range languages {
		each(language.MustParse(code), func(subject, text string) {
			names = append(names, name{text, l, partOf(subject)})
			if spoken[text] == nil {
				spoken[text] = map[int]bool{}
			}
			spoken[text][l] = true
		})
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(n name) bool {
		again := seen[n.text]
		seen[n.text] = true
		return again || len(spoken[n.text]) > 1
	})
}

// each calls f with every usable name of every subject in a language.
func each(l language.Tag, f func(subject, text string)) {
	lower := cases.Lower(l) // Turkish has its own idea of the lower case of I
	use := func(subject, text string) {
		text = strings.ReplaceAll(norm.NFC.String(lower.String(text)), "’", "'")
		if usable(subject, text) {
			f(subject, text)
		}
	}
	for _, r := range language.Supported.Regions() {
		use(r.String(), display.Regions(l).Name(r))
	}
	for _, b := range language.Supported.BaseLanguages() {
		use(b.String(), display.Languages(l).Name(b))
	}
}

// usable leaves out what is no name: nothing at all, the subject's own code, and
// names with an explanation in parentheses.
func usable(subject, text string) bool {
	return text != "" && !strings.EqualFold(text, subject) && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M) && !strings.ContainsRune(" -'", r)
	})
}

// The inputs of the classifier: so many character n-grams of a name, each as the
// row of the table that its hash names. Row 0 pads.
const (
	grams = 48
	rows  = 4096
)

// encode returns the rows of a name's 1-, 2- and 3-grams, with the name's ends as
// characters, and how many they are. classifier.py does the same.
func encode(text string) (list [grams]int64, n int) {
	runes := []rune("^" + text + "$")
	for length := 1; length <= 3; length++ {
		for i := 0; i+length <= len(runes) && n < grams; i++ {
			h := fnv.New32a()
			h.Write([]byte(string(runes[i : i+length])))
			list[n] = int64(1 + h.Sum32()%(rows-1))
			n++
		}
	}
	return list, n
}
