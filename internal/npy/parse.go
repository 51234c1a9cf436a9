package npy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
)

// A parser reads the header's dictionary: of Python's literals it knows strings
// without escapes, True and False, and tuples of whole numbers. NumPy writes no
// others.
type parser struct {
	text  string
	at    int
	order *Order // what the data lie in, nil where only the zero Order is allowed
}

// parse reads a header, which has three keys in any order and nothing else.
func parse(text string, order *Order) (Header, error) {
	p := &parser{text: text, order: order}
	var h Header
	var seen []string
	if err := p.expect("{"); err != nil {
		return Header{}, err
	}
	for !p.accept("}") {
		if len(seen) > 0 {
			if err := p.expect(","); err != nil {
				return Header{}, err
			}
			if p.accept("}") {
				break
			}
		}
		key, err := p.quoted()
		if err != nil {
			return Header{}, err
		}
		if slices.Contains(seen, key) {
			return Header{}, errors.Errorf("the header has the key %s twice", fault.Name(key))
		}
		seen = append(seen, key)
		if err := p.expect(":"); err != nil {
			return Header{}, err
		}
		switch key {
		case "descr":
			h.Kind, err = p.kind()
		case "fortran_order":
			err = p.axes()
		case "shape":
			h.Shape, err = p.shape()
		default:
			err = errors.Errorf("the header has the key %s; descr, fortran_order and shape are allowed", fault.Name(key))
		}
		if err != nil {
			return Header{}, err
		}
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !slices.Contains(seen, key) {
			return Header{}, errors.Errorf("the header lacks the key %s", key)
		}
	}
	if rest := strings.Trim(p.text[p.at:], blanks); rest != "" {
		return Header{}, errors.Errorf("the header goes on behind its dictionary: %q", fault.Cut(rest))
	}
	_, err := h.Bytes() // a shape beyond all memory
	return h, err
}

const blanks = " \t\n\r\x00"

// accept takes a sign, if it is what comes next.
func (p *parser) accept(sign string) bool {
	rest := strings.TrimLeft(p.text[p.at:], blanks)
	if !strings.HasPrefix(rest, sign) {
		return false
	}
	p.at = len(p.text) - len(rest) + len(sign)
	return true
}

func (p *parser) expect(sign string) error {
	if !p.accept(sign) {
		return p.unexpected(strconv.Quote(sign))
	}
	return nil
}

// unexpected is the error of a header that goes on with something else.
func (p *parser) unexpected(want string) error {
	rest := strings.TrimLeft(p.text[p.at:], blanks)
	if rest == "" {
		return errors.Errorf("the header ends where %s is expected", want)
	}
	return errors.Errorf("the header is malformed: %s is expected, not %q", want, fault.Cut(rest))
}

// quoted takes a string.
func (p *parser) quoted() (string, error) {
	for _, mark := range []string{"'", `"`} {
		start := p.at
		if !p.accept(mark) {
			continue
		}
		end := strings.Index(p.text[p.at:], mark)
		if end < 0 {
			p.at = start
			return "", errors.New("the header has a string without an end")
		}
		s := p.text[p.at : p.at+end]
		if strings.ContainsAny(s, "\\\n") {
			return "", errors.Errorf("the header has the string %q, with an escape or a line feed", fault.Cut(s))
		}
		p.at += end + len(mark)
		return s, nil
	}
	return "", p.unexpected("a string")
}

// kind takes the description of the elements.
func (p *parser) kind() (num.Kind, error) {
	const allowed = "; " + Allowed + " in little-endian order are allowed"
	for _, sign := range []string{"[", "("} {
		if p.accept(sign) {
			return num.NoKind, errors.New("the elements have several fields or axes of their own" + allowed)
		}
	}
	descr, err := p.quoted()
	if err != nil {
		return num.NoKind, err
	}
	name := strings.TrimLeft(descr, "<>=|")
	for kind, d := range descriptions {
		if d.descr != name || name == "" || len(descr) > len(name)+1 {
			continue
		}
		switch sign := descr[:len(descr)-len(name)]; {
		case sign == "<" || num.Kind(kind).Width() == 1:
			return num.Kind(kind), nil
		case sign == ">" && p.order != nil:
			p.order.BigEndian = true
			return num.Kind(kind), nil
		case sign == ">":
			return num.NoKind, errors.Errorf("the elements are big-endian %s (%s)%s", d.name, descr, allowed)
		default:
			return num.NoKind, errors.Errorf("the header does not say in which byte order its %s are (%s)%s", d.name, descr, allowed)
		}
	}
	switch {
	case strings.HasPrefix(name, "U") || strings.HasPrefix(name, "S"):
		return num.NoKind, errors.Errorf("the elements are strings (%s)%s", fault.Cut(descr), allowed)
	case name == "V2":
		return num.NoKind, errors.Errorf("the elements are two bytes without a type (%s), as which a bfloat16 is written%s", descr, allowed)
	}
	return num.NoKind, errors.Errorf("the elements are of type %q%s", fault.Cut(descr), allowed)
}

// axes takes whether the first axis is the fastest.
func (p *parser) axes() error {
	switch {
	case p.accept("False"):
		return nil
	case p.order != nil && p.accept("True"):
		p.order.Fortran = true
		return nil
	case p.accept("True"):
		return errors.New("the array is in Fortran's order; C's order is allowed: numpy.ascontiguousarray makes it so")
	}
	return p.unexpected("True or False")
}

// shape takes a tuple of sizes. One of a single size has a comma behind it: (3)
// is a number in Python.
func (p *parser) shape() ([]int, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	shape := []int{}
	for !p.accept(")") {
		n, err := p.size()
		if err != nil {
			return nil, err
		}
		if shape = append(shape, n); len(shape) > mostAxes {
			return nil, errors.Errorf("the shape has more than the %d axes that NumPy allows", mostAxes)
		}
		if comma := p.accept(","); !comma {
			if len(shape) == 1 {
				return nil, p.unexpected(`","`)
			}
			if err := p.expect(")"); err != nil {
				return nil, err
			}
			break
		}
	}
	return shape, nil
}

// size takes a whole number that is not negative. Python 2 wrote an L behind large ones.
func (p *parser) size() (int, error) {
	rest := strings.TrimLeft(p.text[p.at:], blanks)
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if digits == "" || len(digits) > 1 && digits[0] == '0' { // which was octal in Python 2
		return 0, p.unexpected("a size")
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0, errors.Errorf("the shape has the size %s, which no memory could hold", fault.Cut(digits))
	}
	p.at = len(p.text) - len(rest) + len(digits)
	if strings.HasPrefix(p.text[p.at:], "L") {
		p.at++
	}
	return n, nil
}
