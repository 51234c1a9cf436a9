package wordpiece

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vocabulary numbers its tokens from 0 on, in this order.
const vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\n##a\naff\nthe\ncafe\n,\n.\n$\n'\n##s\n北\n京\nss\ni\n"

func tokenizer(t *testing.T) *Tokenizer {
	t.Helper()
	k, err := New(strings.NewReader(vocabulary))
	require.NoError(t, err)
	return k
}

func TestEncode(t *testing.T) {
	const unknown, begin, end, mask = 1, 2, 3, 4
	cases := []struct {
		name, text string
		want       []int64
	}{
		{"nothing", "", []int64{begin, end}},
		{"white space", " \t\r\n\u00a0", []int64{begin, end}},
		{"the longest piece first", "unaffable", []int64{begin, 5, 6, 7, end}},
		{"a piece that is no word's end", "unaff", []int64{begin, 5, 6, end}},
		{"a rest that is no piece makes the whole word unknown", "unaffx", []int64{begin, unknown, end}},
		{"a piece that only continues", "able", []int64{begin, unknown, end}},
		{"capitals and accents", "CAFÉ, Cafe\u0301.", []int64{begin, 11, 12, 11, 13, end}},
		{"punctuation splits", "the$the", []int64{begin, 10, 14, 10, end}},
		{"an apostrophe, too", "the's", []int64{begin, 10, 15, unknown, end}},
		{"Chinese characters are words", "北京the", []int64{begin, 17, 18, 10, end}},
		{"a capital that is two characters in lower case", "İ", []int64{begin, 20, end}},
		{"control, zero-width and private characters go", "t\u200bh\u0007e\ue000\ufffd", []int64{begin, 10, end}},
		{"broken UTF-8 goes", "th\xffe", []int64{begin, 10, end}},
		{"special tokens", "the[MASK]the [SEP]", []int64{begin, 10, mask, 10, end, end}},
		{"special tokens are spelt in capitals", "[mask]", []int64{begin, unknown, unknown, unknown, end}},
		{"100 characters", "un" + strings.Repeat("a", 98), append(append([]int64{begin, 5}, repeat(8, 98)...), end)},
		{"101 are too many", "un" + strings.Repeat("a", 99), []int64{begin, unknown, end}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ids, cut := tokenizer(t).Encode(c.text, 1000)
			assert.Equal(t, c.want, ids)
			assert.False(t, cut)
		})
	}
}

func repeat(id int64, n int) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = id
	}
	return ids
}

func TestCut(t *testing.T) {
	k := tokenizer(t)
	for _, c := range []struct {
		text string
		most int
		want []int64
		cut  bool
	}{
		{"the the the", 5, []int64{2, 10, 10, 10, 3}, false},
		{"the the the", 4, []int64{2, 10, 10, 3}, true},
		{"unaffable", 4, []int64{2, 5, 6, 3}, true},
		{"the", 2, []int64{2, 3}, true},
		{"the[MASK]", 3, []int64{2, 10, 3}, true},
		{"[MASK][MASK]the", 4, []int64{2, 4, 4, 3}, true},
		{"", 2, []int64{2, 3}, false},
	} {
		ids, cut := k.Encode(c.text, c.most)
		assert.Equal(t, c.want, ids, c.text)
		assert.Equal(t, c.cut, cut, c.text)
	}
	// A text of any length takes no longer than its first tokens.
	ids, cut := k.Encode(strings.Repeat("the ", 1<<20), 128)
	assert.Len(t, ids, 128)
	assert.True(t, cut)
}

func TestNew(t *testing.T) {
	for name, c := range map[string]struct{ vocabulary, says string }{
		"nothing":            {"", "has no ["},
		"none of BERT's":     {"the\ncat\n", "has no ["},
		"no end":             {"[CLS]\n[UNK]\n", "[SEP]"},
		"a token twice":      {"[CLS]\n[SEP]\n[UNK]\nthe\nthe\n", "lines 4 and 5"},
		"no UTF-8":           {"[CLS]\n\xff\n", "line 2"},
		"a line of no end":   {strings.Repeat("x", 1<<20), "too long"},
		"a file of a model?": {"\x08\x08\x12\x07pytorch\n\xfe\n", "UTF-8"},
	} {
		_, err := New(strings.NewReader(c.vocabulary))
		assert.ErrorContains(t, err, c.says, name)
	}
	_, err := New(strings.NewReader(strings.ReplaceAll(vocabulary, "\n", "\r\n")))
	assert.NoError(t, err, "lines of Windows")
}

// TestGolden compares with Hugging Face's tokenizers, see testdata/generate.py.
func TestGolden(t *testing.T) {
	vocab, err := os.Open("../model/vocab.txt")
	if os.IsNotExist(err) {
		t.Skip("skipped: model/vocab.txt is missing, fetch.sh fetches it")
	}
	require.NoError(t, err)
	defer vocab.Close()
	k, err := New(vocab)
	require.NoError(t, err)
	golden, err := os.Open("testdata/golden.jsonl")
	require.NoError(t, err)
	defer golden.Close()
	count := 0
	for lines := bufio.NewScanner(golden); lines.Scan(); count++ {
		var c struct {
			Text string
			IDs  []int64
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		ids, cut := k.Encode(c.Text, 1<<20)
		assert.Equal(t, c.IDs, ids, "%q", c.Text)
		assert.False(t, cut)
	}
	assert.Equal(t, 433, count)
}

func FuzzEncode(f *testing.F) {
	f.Add("the cat's [MASK]", 8)
	f.Add("\xff\u200bИ北", 2)
	k, err := New(strings.NewReader(vocabulary))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string, most int) {
		if most < 2 || most > 1000 {
			return
		}
		ids, _ := k.Encode(text, most)
		if len(ids) < 2 || len(ids) > most || ids[0] != 2 || ids[len(ids)-1] != 3 {
			t.Errorf("%q, %d: %v", text, most, ids)
		}
	})
}
