package core_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// TestCheckDtypes gives operators the dtypes they take, and each that they do not.
func TestCheckDtypes(t *testing.T) {
	scatter := func(r num.Reduction) plan.Params {
		return plan.Params{Op: plan.ScatterND, Settings: plan.Settings{Reduction: r}}
	}
	bags := func(s plan.Settings) plan.Params {
		s.Reduction = num.Add
		return plan.Params{Op: plan.EmbeddingBagOffsets, Settings: s}
	}
	pointer := tensor.Dtype{Type: reflect.TypeFor[*int]()}
	for _, c := range []struct {
		p      plan.Params
		dtypes []tensor.Dtype
		want   string // of the error, none if empty
	}{
		{plan.Params{Op: plan.Gather}, []tensor.Dtype{tensor.String, tensor.Int8}, ""},
		{plan.Params{Op: plan.Gather}, []tensor.Dtype{pointer, tensor.Int64}, "Gather: data: dtype *int holds pointers"},
		{plan.Params{Op: plan.GatherND}, []tensor.Dtype{tensor.Float32, tensor.Float32}, "GatherND: indices have dtype float32"},
		{scatter(num.None), []tensor.Dtype{tensor.String, tensor.Int64, tensor.String}, ""},
		{scatter(num.Add), []tensor.Dtype{tensor.Float32, tensor.Int64, tensor.Float64}, "ScatterND: updates have dtype float64, data has float32"},
		{scatter(num.Max), []tensor.Dtype{tensor.Complex64, tensor.Int64, tensor.Complex64}, "have no reduction max, allowed is none (overwrite), add, sub, mul, mean"},
		{scatter(num.Mean), []tensor.Dtype{tensor.Bool, tensor.Int64, tensor.Bool}, "have no reduction mean, allowed is none (overwrite), add, sub, mul, min, max"},
		{bags(plan.Settings{}), []tensor.Dtype{tensor.Float32, tensor.Int64, tensor.Int32, tensor.Float32}, ""},
		{bags(plan.Settings{}), []tensor.Dtype{tensor.Float32, tensor.Int64, tensor.Int64, tensor.Float64}, "EmbeddingBagOffsets: weights have dtype float64, table has float32, they must be equal"},
		{bags(plan.Settings{}), []tensor.Dtype{tensor.Float32, tensor.Int64, tensor.Float32}, "EmbeddingBagOffsets: offsets have dtype float32, integers are needed"},
		{bags(plan.Settings{Lengths: true}), []tensor.Dtype{tensor.Float32, tensor.Int64, tensor.Float32}, "EmbeddingBagOffsets: lengths have dtype float32, integers are needed"},
		{bags(plan.Settings{}), []tensor.Dtype{pointer, tensor.Int64, tensor.Int64}, "EmbeddingBagOffsets: table: dtype *int holds pointers"},
		{plan.Params{Op: plan.GatherTree}, []tensor.Dtype{tensor.Int32, tensor.Int32, tensor.Int32, tensor.Int32}, ""},
		{plan.Params{Op: plan.GatherTree}, []tensor.Dtype{tensor.Int32, tensor.Int32, tensor.Int64, tensor.Int32}, "has dtype int64"},
		{plan.Params{Op: plan.GatherTree}, []tensor.Dtype{tensor.Complex64, tensor.Complex64, tensor.Complex64, tensor.Complex64}, "allowed are integers and real floats"},
	} {
		err := core.CheckDtypes(&c.p, c.dtypes...)
		if c.want == "" {
			if err != nil {
				t.Errorf("%v of %v: %v", c.p, c.dtypes, err)
			}
			continue
		}
		if !errors.Is(err, elem.ErrDtype) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v of %v: got %v, want one that says %q", c.p, c.dtypes, err, c.want)
		}
	}
}
