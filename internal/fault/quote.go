package fault

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is the number of bytes of a name, and most that of dims of a shape,
// that a message quotes. More of them come from hostile files alone.
const (
	longest = 80
	most    = 16
)

// Cut is a text as long as a message can quote it.
func Cut(text string) string { return cut(text, longest) }

// Operator is an operator's String as long as a message can quote it. Those of
// gradients hold another one's.
func Operator(op fmt.Stringer) string { return cut(op.String(), 4*longest) }

func cut(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	end := longest
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// Name is the name of a node as a message quotes it: cut, and between quotation
// marks unless it is one plain word.
func Name(name string) string {
	name = Cut(name)
	if name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune("\"`',()", r)
	}) {
		return strconv.Quote(name)
	}
	return name
}

// Call is an operator with the names of its operands, like Gather(items, ids);
// without names it is the operator alone.
func Call(op string, operands []string) string {
	if len(operands) == 0 {
		return op
	}
	names := make([]string, len(operands))
	for i, name := range operands {
		names[i] = Name(name)
	}
	return op + "(" + strings.Join(names, ", ") + ")"
}

// Shape is a shape as a message shows it, like (2, 3). It works on a copy:
// otherwise the compiler would have to assume that every shape passed in here
// outlives the call, and would move the callers' buffers to the heap.
func Shape(s []int) string {
	text := []byte{'('}
	for d, n := range s {
		if d > 0 {
			text = append(text, ", "...)
		}
		if d == most {
			return fmt.Sprintf("%s…) of rank %d", text, len(s))
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	return string(append(text, ')'))
}

// ScalarHint goes behind a message about a tensor that should have a shape of one
// element, and is a scalar: package tensor may have made it so without being
// asked to. It is nothing for other shapes.
func ScalarHint(got, want []int) string {
	if len(got) > 0 || len(want) == 0 {
		return ""
	}
	for _, n := range want {
		if n != 1 {
			return ""
		}
	}
	return "; a backing of one element makes a scalar unless WithShape" + Shape(want) + " is given"
}

// Ones is the shape of one element in a rank.
func Ones(rank int) []int {
	s := make([]int, rank)
	for d := range s {
		s[d] = 1
	}
	return s
}
