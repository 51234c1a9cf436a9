package opset

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
)

// A VersionError says that something is asked of a version of an operator that
// it does not allow, and which version does. Packages onnx and openvino have it
// under their own names.
type VersionError struct {
	Op      string // the operator, as "Gather"
	Opset   int    // the operator set that is named
	Version int    // the operator's version in it; 0 if it has none
	What    string // what is not allowed, as "data of type bfloat16"; "" for the operator itself
	Since   int    // the first operator set that allows it; 0 if none does
	Instead string // the operator that took its place, "" if none did
	Release string // the first release that allows it, where that decides; else ""

	cause error  // ErrDtype or ErrOption, an IndexError, or nil
	hint  string // what is allowed, for an error about what no version allows
	opset string // how to print an operator set, "" for "opset %d"
}

// Error reads like
//
//	Gather-11: data of type bfloat16 is not allowed in opset 12, it is since opset 13
func (e *VersionError) Error() string {
	if e == nil {
		return "no error"
	}
	name, what := e.Op, e.What+" is"
	if e.Version != 0 {
		name = fmt.Sprintf("%s-%d", e.Op, e.Version)
	}
	if e.What == "" {
		what = "the operator is"
	}
	where := "in " + e.set(e.Opset)
	if e.Release != "" && e.Since != 0 && e.Since <= e.Opset {
		where = "before release " + e.Release
	}
	text := fmt.Sprintf("%s: %s not allowed %s%s", name, what, where, e.remedy())
	var bad *dense.IndexError
	if errors.As(e.cause, &bad) {
		text += ": " + bad.Error()
	}
	return text
}

// remedy says what to do instead.
func (e *VersionError) remedy() string {
	switch {
	case e.Instead != "":
		return ", use " + e.Instead
	case e.Since == 0:
		return ", nor in any other" + e.hint
	case e.Release == "":
		return ", it is since " + e.set(e.Since)
	case e.Since > e.Opset:
		return fmt.Sprintf(", it is since %s of release %s", e.set(e.Since), e.Release)
	}
	return "" // the release says it
}

// set prints an operator set.
func (e *VersionError) set(n int) string {
	format := e.opset
	if format == "" {
		format = "opset %d"
	}
	return fmt.Sprintf(format, n)
}

// Unwrap is what the error is about: ErrDtype or ErrOption of packages dense and
// gather, an [*dense.IndexError] for a negative index, or nil.
func (e *VersionError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}
