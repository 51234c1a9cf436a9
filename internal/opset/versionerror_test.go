package opset

import (
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"gorgonia.org/gather/dense"
)

func TestVersionErrorTexts(t *testing.T) {
	bad := &dense.IndexError{Op: "Gather", Position: []int{0}, Index: -1, Size: 3, NonNegative: true}
	cases := []struct {
		err  VersionError
		text string
	}{
		{VersionError{Op: "Gather", Opset: 12, Version: 11, What: "data of type bfloat16", Since: 13},
			"Gather-11: data of type bfloat16 is not allowed in opset 12, it is since opset 13"},
		{VersionError{Op: "ScatterND", Opset: 20, Version: 18, What: `reduction "mean"`},
			`ScatterND-18: reduction "mean" is not allowed in opset 20, nor in any other`},
		{VersionError{Op: "ScatterND", Opset: 20, Version: 18, What: `reduction "mean"`, hint: ", allowed are none, add"},
			`ScatterND-18: reduction "mean" is not allowed in opset 20, nor in any other, allowed are none, add`},
		{VersionError{Op: "TensorScatter", Opset: 18, Since: 24},
			"TensorScatter: the operator is not allowed in opset 18, it is since opset 24"},
		{VersionError{Op: "Scatter", Opset: 13, Version: 11, Instead: "ScatterElements"},
			"Scatter-11: the operator is not allowed in opset 13, use ScatterElements"},
		{VersionError{Op: "GatherND", Opset: 4, Since: 5, opset: "opset%d"},
			"GatherND: the operator is not allowed in opset4, it is since opset5"},
		{VersionError{Op: "GatherND", Opset: 5, Version: 5, What: "a negative index", Since: 8, Release: "2025.3", opset: "opset%d"},
			"GatherND-5: a negative index is not allowed in opset5, it is since opset8 of release 2025.3"},
		{VersionError{Op: "GatherND", Opset: 9, Version: 8, What: "a negative index", Since: 8, Release: "2025.3", cause: bad},
			"GatherND-8: a negative index is not allowed before release 2025.3: " + bad.Error()},
	}
	for _, c := range cases {
		assert.EqualError(t, &c.err, c.text)
	}
	assert.Equal(t, "no error", (*VersionError)(nil).Error())
	assert.NotEmpty(t, new(VersionError).Error())
}

func TestVersionErrorUnwraps(t *testing.T) {
	assert.ErrorIs(t, &VersionError{cause: dense.ErrDtype}, dense.ErrDtype)
	assert.NoError(t, new(VersionError).Unwrap())
	assert.NoError(t, (*VersionError)(nil).Unwrap())
	bad := &dense.IndexError{Op: "Gather"}
	var found *dense.IndexError
	assert.True(t, errors.As(error(&VersionError{cause: errors.WithStack(bad)}), &found))
	assert.Same(t, bad, found)
}
