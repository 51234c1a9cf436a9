package opset

import (
	"slices"

	"gorgonia.org/gather/dense"
)

// A Version is one row of a specification's table: what an operator means from an
// operator set on, until its next row.
type Version struct {
	Since      int
	Data       Dtypes // of data, and of all inputs that must agree with it
	Index      Dtypes
	Attributes []Attribute
	Negatives  Negatives
	OutOfRange dense.OutOfRange // of the gathers; a scatter always rejects
	FusedBatch bool             // batch dims are multiplied into one
	Instead    string           // the operator to use instead: this row ends the older one
}

// Attribute finds the attribute of a name.
func (v Version) Attribute(name string) (Attribute, bool) {
	for _, a := range v.Attributes {
		if a.Name == name {
			return a, true
		}
	}
	return Attribute{}, false
}

// An Attribute is one that a version has: an integer in a range that depends on
// the inputs, or one of some words.
type Attribute struct {
	Name    string
	Default any      // an int64 or a string; nil if it must be set
	In      Interval // of an integer
	Words   []string // nil for an integer
}

// Allows tells whether a word is one of the attribute's.
func (a Attribute) Allows(word string) bool { return slices.Contains(a.Words, word) }

// An Interval is the range of an integer attribute, as a function of the ranks of
// data and indices.
type Interval func(r, q int) (low, high int)

// AnyAxis is the range of an axis of data.
func AnyAxis(r, _ int) (low, high int) { return -r, r - 1 }

// ProperBatch is the range of GatherND's batch_dims.
func ProperBatch(r, q int) (low, high int) { return 0, min(r, q) - 1 }

// Negatives says what a version holds of indices below zero.
type Negatives int

const (
	Counted  Negatives = iota // they count from the end of the axis
	Unstated                  // the text is silent; they count
	Refused                   // they are out of range
	Released                  // a release decides whether they count
)
