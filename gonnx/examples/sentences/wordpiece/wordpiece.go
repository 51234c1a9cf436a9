// Package wordpiece cuts text into the tokens of BERT's uncased models, as the
// vocabulary file vocab.txt of such a model numbers them.
//
// Text is cleaned of control characters, put into lower case, stripped of accents,
// cut at white space, and round punctuation and Chinese characters; of each word the
// longest piece that the vocabulary has is taken, then the longest of the rest,
// written with ## in front. A word with a rest that it has not is [UNK].
//
// Sources: Wu et al., "Google's Neural Machine Translation System", 2016, section
// 4.1, and the tokenizer of Devlin et al., "BERT", 2018; the details are those of
// Hugging Face's tokenizers 0.23, with which the tests compare.
package wordpiece

import (
	"bufio"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pkg/errors"
	"golang.org/x/text/unicode/norm"
)

// maxWord is the length of the longest word that is cut into pieces, in characters;
// a longer one is unknown.
const maxWord = 100

// special are the tokens that stand for themselves wherever they are in a text.
var special = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}

// A Tokenizer cuts text into tokens. It may be used several times at once.
type Tokenizer struct {
	ids                map[string]int64
	first, last, other int64 // [CLS], [SEP], [UNK]
	longest            int   // bytes of the longest token
}

// New reads a vocabulary: a token a line, numbered from 0 on.
func New(r io.Reader) (*Tokenizer, error) {
	t := &Tokenizer{ids: map[string]int64{}}
	lines := bufio.NewScanner(r)
	for n := int64(0); lines.Scan(); n++ {
		token := strings.TrimRight(lines.Text(), "\r")
		if !utf8.ValidString(token) {
			return nil, errors.Errorf("vocabulary: line %d is no UTF-8", n+1)
		}
		if at, twice := t.ids[token]; twice {
			return nil, errors.Errorf("vocabulary: lines %d and %d are both %q", at+1, n+1, token)
		}
		t.ids[token] = n
		t.longest = max(t.longest, len(token))
	}
	if err := lines.Err(); err != nil {
		return nil, errors.Wrap(err, "vocabulary")
	}
	for token, id := range map[string]*int64{"[CLS]": &t.first, "[SEP]": &t.last, "[UNK]": &t.other} {
		var ok bool
		if *id, ok = t.ids[token]; !ok {
			return nil, errors.Errorf("vocabulary: it has no %s, it is none of BERT's", token)
		}
	}
	return t, nil
}

// Encode returns the tokens of a text between [CLS] and [SEP], most of them at most,
// and whether some were cut off. most is 2 or more.
func (t *Tokenizer) Encode(text string, most int) (ids []int64, cut bool) {
	ids = append(ids, t.first)
	for text != "" && !cut {
		plain, token := nextSpecial(text)
		text = text[len(plain)+len(token):]
		if ids, cut = t.words(ids, normalized(plain), most); cut {
			break
		}
		if token != "" {
			if ids = append(ids, t.id(token)); len(ids) > most-1 {
				cut = true
			}
		}
	}
	if cut {
		ids = ids[:most-1]
	}
	return append(ids, t.last), cut
}

// id is a token's number, that of [UNK] for one that the vocabulary has not.
func (t *Tokenizer) id(token string) int64 {
	if id, ok := t.ids[token]; ok {
		return id
	}
	return t.other
}

// nextSpecial is the text up to the first special token, and the token.
func nextSpecial(text string) (plain, token string) {
	at := len(text)
	for _, s := range special {
		if i := strings.Index(text, s); i >= 0 && i < at {
			at, token = i, s
		}
	}
	return text[:at], token
}

// words appends the tokens of cleaned text, until there are too many.
func (t *Tokenizer) words(ids []int64, text string, most int) (_ []int64, cut bool) {
	start := -1 // of the word under way
	flush := func(end int) {
		if start >= 0 {
			ids = t.pieces(ids, text[start:end])
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			flush(i)
		case isPunctuation(r):
			flush(i)
			ids = t.pieces(ids, text[i:i+utf8.RuneLen(r)])
		case start < 0:
			start = i
		}
		if len(ids) > most-1 {
			return ids, true
		}
	}
	flush(len(text))
	return ids, len(ids) > most-1
}

// pieces appends the tokens of a word.
func (t *Tokenizer) pieces(ids []int64, word string) []int64 {
	if utf8.RuneCountInString(word) > maxWord {
		return append(ids, t.other)
	}
	before := len(ids)
	const inside = "##"
	for rest := word; rest != ""; {
		prefix := ""
		if len(rest) < len(word) {
			prefix = inside
		}
		end := min(len(rest), t.longest)
		for ; end > 0; end-- {
			if end < len(rest) && !utf8.RuneStart(rest[end]) {
				continue
			}
			if id, ok := t.ids[prefix+rest[:end]]; ok {
				ids = append(ids, id)
				break
			}
		}
		if end == 0 {
			return append(ids[:before], t.other)
		}
		rest = rest[end:]
	}
	return ids
}

// normalized is the text without control characters, with spaces round Chinese
// characters, without accents and in lower case.
func normalized(text string) string {
	var clean strings.Builder
	for _, r := range text {
		switch {
		case r == utf8.RuneError || isControl(r):
		case unicode.IsSpace(r):
			clean.WriteByte(' ')
		case isChinese(r):
			clean.WriteByte(' ')
			clean.WriteRune(r)
			clean.WriteByte(' ')
		default:
			clean.WriteRune(r)
		}
	}
	// An accent is a character of its own in the decomposed form.
	var lower strings.Builder
	for _, r := range norm.NFD.String(clean.String()) {
		if !unicode.Is(unicode.Mn, r) {
			lower.WriteRune(unicode.ToLower(r))
		}
	}
	return lower.String()
}

// isControl is true of what has no place in text: control and format characters,
// such as the zero-width joiner, and those for private use. unicode.C is not the same
// in all versions of Go: in newer ones it has the characters yet to come, too.
func isControl(r rune) bool {
	return r != '\t' && r != '\n' && r != '\r' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// isPunctuation is true of Unicode's punctuation, and of all of ASCII that is neither
// letter, digit nor space: Unicode has $ and + among the symbols.
func isPunctuation(r rune) bool {
	ascii := r > ' ' && r < 0x7f && !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	return ascii || unicode.IsPunct(r)
}

// chinese are the blocks of Chinese characters, each of which is a word: there are
// no spaces between words. Those of Japanese and Korean syllables are not among them.
var chinese = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1}},
	R32: []unicode.Range32{
		{Lo: 0x20000, Hi: 0x2a6df, Stride: 1}, {Lo: 0x2a700, Hi: 0x2b73f, Stride: 1}, {Lo: 0x2b740, Hi: 0x2b81f, Stride: 1},
		{Lo: 0x2b920, Hi: 0x2ceaf, Stride: 1}, // from 2b820 on in Unicode, and in the first of these tokenizers
		{Lo: 0x2f800, Hi: 0x2fa1f, Stride: 1},
	},
}

func isChinese(r rune) bool { return unicode.Is(chinese, r) }
