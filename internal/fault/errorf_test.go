package fault

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pkg/errors"
)

// TestErrorf finds the sentinel in an error that does not spell it.
func TestErrorf(t *testing.T) {
	axis := errors.New("axis out of range")
	err := errors.WithMessage(Errorf(axis, "axis %d is not in [%d, %d]", 3, -2, 1), "Gather")
	if want := "Gather: axis 3 is not in [-2, 1]"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if !errors.Is(err, axis) || errors.Cause(err) != axis {
		t.Errorf("%v is not %v", err, axis)
	}
	if errors.Is(err, errors.New("axis out of range")) {
		t.Errorf("%v is another error of the same text", err)
	}
	if trace := fmt.Sprintf("%+v", err); !strings.Contains(trace, "TestErrorf") {
		t.Errorf("no stack trace in %q", trace)
	}
}
