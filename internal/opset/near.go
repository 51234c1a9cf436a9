package opset

import (
	"cmp"
	"slices"
	"strings"

	"gorgonia.org/gather/internal/fault"
)

// longestWord is the length up to which a word is compared with others: no name
// of a specification is as long, and the comparison takes the product of both
// lengths.
const longestWord = 64

// Near returns those of the candidates that are spelt much like the word, the
// nearest first and at most three: one letter of three may differ, at least one,
// and the case does not count.
func Near(word string, candidates []string) []string {
	if word == "" || len(word) > longestWord {
		return nil
	}
	type near struct {
		name     string
		distance int
	}
	var list []near
	for _, name := range candidates {
		d := distance(strings.ToLower(word), strings.ToLower(name))
		if d <= max(1, min(len(word), len(name))/3) {
			list = append(list, near{name, d})
		}
	}
	slices.SortFunc(list, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, n := range list[:min(3, len(list))] {
		names = append(names, n.name)
	}
	return names
}

// distance is the Levenshtein distance of two words: the least number of letters
// to insert, remove or replace that makes one of the other.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	row := make([]int, len(t)+1) // distances of a part of s to each part of t
	for j := range row {
		row[j] = j
	}
	for i, r := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j, u := range t {
			replaced := diagonal
			if r != u {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(t)]
}

// DidYouMean asks for the words that are near, as the end of a message; it is
// empty if there are none.
func DidYouMean(word string, candidates []string) string {
	near := Near(word, candidates)
	if len(near) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
}

// Allowed lists the words that are allowed instead of another one, and asks for
// those that are near, as the end of a message; without candidates it is empty.
func Allowed(word string, candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	text := ", allowed are " + List(candidates)
	if question := DidYouMean(word, candidates); question != "" {
		text += "; " + question
	}
	return text
}

// longestList is the number of bytes after which a list ends: a model of fifty
// operators is listed in full.
const longestList = 500

// Shown is the number of words after which no list goes on.
const Shown = longestList / len("a, ")

// List joins words for a message. Of a list that only a hostile file can make as
// long it shows the beginning.
func List(words []string) string {
	var text strings.Builder
	for i, w := range words {
		if i > 0 {
			text.WriteString(", ")
		}
		if text.Len() > longestList || i == Shown {
			text.WriteString("…")
			break
		}
		text.WriteString(fault.Cut(w))
	}
	return text.String()
}
