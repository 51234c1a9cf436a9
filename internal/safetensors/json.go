package safetensors

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pkg/errors"
)

// A scanner reads JSON token by token. What it returns are parts of the text, so that a
// header costs little more than its own size: encoding/json makes values of all tokens, and
// of two values of one name it takes the last.
type scanner struct {
	text string
	at   int
}

// end skips white space and reports whether nothing follows.
func (s *scanner) end() bool {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return false
		}
	}
	return true
}

// is reports whether a character is next.
func (s *scanner) is(c byte) bool { return !s.end() && s.text[s.at] == c }

// wrong is the error that something else is needed than what is next.
func (s *scanner) wrong(what, need string) error {
	if s.end() {
		return errors.Errorf("%s is no JSON: it ends where %s is needed", what, need)
	}
	token := s.token()
	return errors.Errorf("%s has %.40q where %s is needed", what, token, need)
}

// token is what is next, up to a character that ends a number.
func (s *scanner) token() string {
	rest := s.text[s.at:]
	n := strings.IndexAny(rest[:min(len(rest), 64)], " \t\n\r,:[]{}\"")
	switch {
	case n == 0:
		n = 1 // the character itself
	case n < 0:
		n = min(len(rest), 64)
	}
	return rest[:n]
}

// expect reads a character.
func (s *scanner) expect(what string, c byte) error {
	if !s.is(c) {
		return s.wrong(what, strconv.Quote(string(c)))
	}
	s.at++
	return nil
}

// object reads an object, whose values member reads.
func (s *scanner) object(what string, member func(key string) error) error {
	if err := s.expect(what, '{'); err != nil {
		return err
	}
	for first := true; !s.is('}'); first = false {
		if !first {
			if err := s.expect(what, ','); err != nil {
				return err
			}
		}
		key, err := s.string(what)
		if err == nil {
			err = s.expect(what, ':')
		}
		if err == nil {
			err = member(key)
		}
		if err != nil {
			return err
		}
	}
	return s.expect(what, '}')
}

// string reads a string.
func (s *scanner) string(what string) (string, error) {
	if !s.is('"') {
		return "", s.wrong(what, "a string")
	}
	begin, escaped := s.at+1, false
	for i := begin; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			if !escaped {
				return s.text[begin:i], nil
			}
			text, ok := unescape(s.text[begin:i])
			if !ok {
				return "", errors.Errorf("%s is no JSON: a string has an escape that there is not", what)
			}
			return text, nil
		case c == '\\':
			escaped = true
			i++ // it may be a quote
		case c < ' ':
			return "", errors.Errorf("%s is no JSON: a string has the control character %q", what, c)
		}
	}
	s.at = len(s.text)
	return "", s.wrong(what, "the end of a string")
}

// unescape is what a string with escapes stands for.
func unescape(s string) (string, bool) {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			b.WriteString(s)
			return b.String(), true
		}
		b.WriteString(s[:i])
		c := s[i+1]
		s = s[i+2:]
		if short := strings.IndexByte(`"\/bfnrt`, c); short >= 0 {
			b.WriteByte("\"\\/\b\f\n\r\t"[short])
			continue
		}
		r, ok := hexadecimal(s)
		if c != 'u' || !ok {
			return "", false
		}
		s = s[4:]
		if utf16.IsSurrogate(r) {
			low, _ := hexadecimal(strings.TrimPrefix(s, `\u`))
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError && strings.HasPrefix(s, `\u`) {
				s = s[6:]
			} else {
				r = utf8.RuneError // half of a pair, as encoding/json reads it
			}
		}
		b.WriteRune(r)
	}
}

// hexadecimal is the number that four digits are.
func hexadecimal(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 32)
	return rune(n), err == nil
}

// numbers reads a list of so many numbers at most, none of which is negative, behind others.
func (s *scanner) numbers(list []int64, what string, most int) ([]int64, error) {
	if err := s.expect(what, '['); err != nil {
		return nil, err
	}
	for !s.is(']') {
		if len(list) > 0 {
			if err := s.expect(what, ','); err != nil {
				return nil, err
			}
		}
		if s.end() || s.text[s.at] != '-' && (s.text[s.at] < '0' || s.text[s.at] > '9') {
			return nil, s.wrong(what, "a number")
		}
		token := s.token()
		n, err := strconv.ParseInt(token, 10, 64)
		if err != nil || n < 0 || len(token) > 1 && token[0] == '0' {
			return nil, errors.Errorf("%s has %.40s, whole numbers from 0 on that 64 bits hold are allowed", what, token)
		}
		s.at += len(token)
		if list = append(list, n); len(list) > most {
			return nil, errors.Errorf("%s has more than %d numbers", what, most)
		}
	}
	return list, s.expect(what, ']')
}
