package console

import (
	"bytes"
	"flag"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestList(t *testing.T) {
	assert.Equal(t, "near: a, b", List("near: ", []string{"a", "b"}, ", ", 2))
	assert.Equal(t, "near: ", List("near: ", nil, ", ", 2))

	long := strings.Repeat("x", 36)
	assert.Equal(t, "near: "+long+", "+long[:35]+",\n  b", List("near: ", []string{long, long[:35], "b"}, ", ", 2))
	assert.Equal(t, "größe: ö,\n   "+long+long+long, List("größe: ", []string{"ö", long + long + long}, ", ", 3), "a word that fits no line")
	for _, text := range strings.Split(List("", strings.Fields(strings.Repeat("ä word ", 100)), " ", 8), "\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(text), 80)
	}
}

func TestPrintFlags(t *testing.T) {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.String("text", "", strings.Repeat("a long description ", 10))
	flags.Int("epochs", 20, "epochs\nof each run")
	var out bytes.Buffer
	PrintFlags(&out, flags)
	assert.Contains(t, out.String(), "  -epochs int\n        epochs\n        of each run (default 20)\n")
	assert.Contains(t, out.String(), "  -text string\n        a long description")
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 80)
	}
}
