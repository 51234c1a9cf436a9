package openvino

import (
	"fmt"
	"strconv"
	"strings"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
)

// A Layer is one layer of an OpenVINO IR file. [ReadLayers] makes layers, or you fill
// one in: Type and Version are needed, the rest where it applies.
type Layer struct {
	ID, Name string
	Type     string // the operator, as "GatherND"
	Version  string // the operator set, as "opset8"
	// Attributes are those of the layer's data element, by name. One that is
	// not set has its default.
	Attributes map[string]string
	// Inputs and Outputs are the shapes of the ports, -1 for an open dim.
	// Where they are set, Apply and Eval hold the tensors to them.
	Inputs, Outputs [][]int
	// Axis is the value of the axis input, where the operator has one and the
	// value is known. A file of layers does not tell it: it stands among the
	// weights.
	Axis *int
	// NumSegments is the number of segments of an EmbeddingSegmentsSum or a
	// SegmentMax, where it is known. OutputShape needs it: a file of layers does not
	// tell. Apply and Eval take it from the input num_segments, too.
	NumSegments *int
	// Release is the OpenVINO release whose behaviour is wanted, as "2025.3".
	// GatherND-8 and GatherElements-6 accept negative indices since that one;
	// without a release they do not.
	Release string
}

// A VersionError says that a layer asks for what its version does not allow,
// and which version does. It wraps ErrDtype or ErrOption of package dense, or the
// [*dense.IndexError] of a negative index. Its fields are
//
//	Op      string // the operator, as "Gather"
//	Opset   int    // the operator set that the layer names
//	Version int    // the operator's version in it; 0 if it has none
//	What    string // what is not allowed, as "attribute batch_dims"; "" for the operator itself
//	Since   int    // the first operator set that allows it; 0 if none does
//	Release string // the first release that allows it, where that decides; else ""
//	Instead string // always "": OpenVINO has no operator that took the place of another
//
// It reads like
//
//	ScatterElementsUpdate-3: attribute "reduction" is not allowed in opset5, it is since opset12
//
// Find it by errors.As:
//
//	var bad *openvino.VersionError
//	if errors.As(err, &bad) && bad.Since > 0 {
//		fmt.Println(bad.Op, "is allowed since", bad.Since)
//	}
type VersionError = opset.VersionError

// newestOpset is the newest operator set that the table was made for. A later
// one may hold new versions, whose meaning nobody knows here.
const newestOpset = 17

// operatorSet reads the layer's Version.
func (l Layer) operatorSet() (int, error) {
	n, ok := parseOpset(l.Version)
	switch {
	case !ok:
		return 0, l.badVersion()
	case n > newestOpset:
		return 0, fault.Errorf(dense.ErrOption, "%s: version %q is not known, opset1 to opset%d are", fault.Cut(l.Type), fault.Cut(l.Version), newestOpset)
	}
	return n, nil
}

// badVersion is the error about a Version that is no operator set.
func (l Layer) badVersion() error {
	return fault.Errorf(dense.ErrOption, "%s: version %q, opset1 to opset%d are allowed", fault.Cut(l.Type), fault.Cut(l.Version), newestOpset)
}

// parseOpset reads the name of an operator set, opset1 or a later one.
func parseOpset(version string) (int, bool) {
	digits, ok := strings.CutPrefix(version, "opset")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 1 && digits == strconv.Itoa(n)
}

// misspelt reports a Version that is meant to be an operator set and is none. A
// file may have layers of other sets, extension for one: as long as they are of
// operators that are not known here, that is no mistake. One without a version is
// for the caller to set.
func (l Layer) misspelt() error {
	if _, ok := parseOpset(l.Version); ok || l.Version == "" {
		return nil
	}
	letters := strings.TrimRight(l.Version, "0123456789")
	if _, known := operators[l.Type]; known || len(opset.Near(letters, []string{"opset"})) > 0 {
		return l.badVersion()
	}
	return nil
}

// A release is an OpenVINO release: year and number within the year.
type release struct{ year, number int }

// negativesAccepted is the release since which GatherND-8 and GatherElements-6
// accept negative indices.
var negativesAccepted = release{2025, 3}

func (r release) String() string { return fmt.Sprintf("%d.%d", r.year, r.number) }

// before compares two releases. The zero release, for a layer that names none,
// is before all others.
func (r release) before(s release) bool {
	return r.year < s.year || r.year == s.year && r.number < s.number
}

// release reads the layer's Release. A patch number, as in 2025.3.1, does not
// matter.
func (l Layer) release() (release, error) {
	if l.Release == "" {
		return release{}, nil
	}
	parts := strings.Split(l.Release, ".")
	numbers := make([]int, len(parts))
	ok := len(parts) == 2 || len(parts) == 3
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		numbers[i], ok = n, ok && err == nil && n >= 0 && len(part) > 0 && part[0] != '+'
	}
	if !ok {
		return release{}, fault.Errorf(dense.ErrOption, "%s: release %q, a year and a number such as %v are allowed", l.Type, fault.Cut(l.Release), negativesAccepted)
	}
	return release{numbers[0], numbers[1]}, nil
}
