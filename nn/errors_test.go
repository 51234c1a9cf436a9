package nn_test

import (
	"math"
	"testing"

	"github.com/pkg/errors"
	"gorgonia.org/gather"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestErrors wants errors that name the function and its argument, in the words of this package.
func TestErrors(t *testing.T) {
	g := G.NewGraph()
	input := func(name string, dt tensor.Dtype, shape ...int) *G.Node {
		return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
	}
	f := tensor.Float32
	x, cube, images := input("x", f, 4, 3), input("cube", f, 2, 4, 3), input("images", f, 2, 3, 8, 8)
	three, seven := input("three", f, 3), input("seven", f, 7)
	filters, weight := input("filters", f, 4, 3, 3, 3), input("weight", f, 5, 3)
	ids, double, mask := input("ids", tensor.Int64, 4, 3), input("double", tensor.Float64, 4, 3), input("mask", tensor.Bool, 5, 5)
	for want, c := range map[string]struct {
		result func() (*G.Node, error)
		is     error
	}{
		"Linear: x has shape (4, 3), weight (4, 3, 3, 3), (…, in) and (out, in) are needed": {func() (*G.Node, error) { return nn.Linear(x, filters, nil) }, gather.ErrShape},
		"Linear: x has shape (7), weight (5, 3), (…, in) and (out, in) are needed":          {func() (*G.Node, error) { return nn.Linear(seven, weight, nil) }, gather.ErrShape},
		"Linear: bias has shape (7), (5) is needed for weight (5, 3)":                       {func() (*G.Node, error) { return nn.Linear(cube, weight, seven) }, gather.ErrShape},
		"Linear: weight is nil, a node is needed":                                           {func() (*G.Node, error) { return nn.Linear(x, nil, nil) }, nil},
		"Linear: x has dtype float64, weight has float32, they must be equal":               {func() (*G.Node, error) { return nn.Linear(double, weight, nil) }, gather.ErrDtype},
		"Linear: x has dtype int64, allowed: float32 and float64":                           {func() (*G.Node, error) { return nn.Linear(ids, weight, nil) }, gather.ErrDtype},
		"MatMul: shapes (4, 3) and (5, 3): rows of 3 elements and columns of 5":             {func() (*G.Node, error) { return nn.MatMul(x, weight) }, gather.ErrShape},
		"Add: shapes (4, 3) and (7) do not broadcast to each other":                         {func() (*G.Node, error) { return nn.Add(x, seven) }, gather.ErrShape},
		"Add: a has dtype bool, allowed: float32, float64 and integers":                     {func() (*G.Node, error) { return nn.Add(mask, x) }, gather.ErrDtype},
		"Mul: a has dtype float32, b has float64, they must be equal: a number is NewConstant(float32(2)) beside float32, NewConstant(2.) beside float64": {
			func() (*G.Node, error) { return nn.Mul(x, G.NewConstant(2.)) }, gather.ErrDtype},
		"Where: condition has dtype float32, allowed: bool":              {func() (*G.Node, error) { return nn.Where(x, x, x) }, gather.ErrDtype},
		"Softmax: axis 2 is not in [-2, 1]":                              {func() (*G.Node, error) { return nn.Softmax(x, 2) }, gather.ErrAxis},
		"Sum: axes [0 0] name axis 0 twice":                              {func() (*G.Node, error) { return nn.Sum(x, 0, 0) }, gather.ErrAxis},
		"Mean: x has dtype int64, allowed: float32 and float64":          {func() (*G.Node, error) { return nn.Mean(ids, 0) }, gather.ErrDtype},
		"Reshape: shape [5 3] has 15 elements, x of shape (4, 3) has 12": {func() (*G.Node, error) { return nn.Reshape(ids, 5, 3) }, gather.ErrShape},
		"Transpose: order [0 0] is no order of the 2 axes of x":          {func() (*G.Node, error) { return nn.Transpose(x, 0, 0) }, nil},
		"Concat: on axis 0: xs[1] of shape (5, 5) does not fit (4, 3) but for axis 0": {
			func() (*G.Node, error) { return nn.Concat(0, input("b", tensor.Bool, 4, 3), mask) }, gather.ErrShape},
		"Concat: xs[2] is nil, a node is needed":                              {func() (*G.Node, error) { return nn.Concat(0, x, x, nil) }, nil},
		"Concat: no tensors, at least one is needed":                          {func() (*G.Node, error) { return nn.Concat(0) }, gather.ErrShape},
		"Stack: xs[0] has shape (4, 3), xs[1] has (5, 3), they must be equal": {func() (*G.Node, error) { return nn.Stack(0, x, weight) }, gather.ErrShape},
		"Stack: Unsqueeze: axis 3 is not in [-3, 2]":                          {func() (*G.Node, error) { return nn.Stack(3, x, x) }, gather.ErrAxis},
		"Conv: x of shape (2, 3, 8, 8) and weight of shape (4, 3, 3, 3) do not fit in 2 groups": {
			func() (*G.Node, error) { return nn.Conv(images, filters, nil, nn.Window{Groups: 2}) }, gather.ErrShape},
		"Conv: bias of shape (7), (4) is allowed":                                                      {func() (*G.Node, error) { return nn.Conv(images, filters, seven, nn.Window{}) }, gather.ErrShape},
		"MaxPool: a kernel of shape [-1 -1] for 2 spatial axes, 2 dims from 1 to 268435456 are needed": {func() (*G.Node, error) { return nn.MaxPool(images, nn.Window{Kernel: []int{-1}}) }, nil},
		"Conv: Window.Padding of both ends is [-1 -1 -1 -1], 4 numbers from 0 to 268435456 are needed": {func() (*G.Node, error) { return nn.Conv(images, filters, nil, nn.Window{Padding: []int{-1}}) }, nil},
		"Conv: Window.Stride is [1 2 3], 2 numbers from 1 to 268435456 are needed":                     {func() (*G.Node, error) { return nn.Conv(images, filters, nil, nn.Window{Stride: []int{1, 2, 3}}) }, nil},
		"Conv: Window.Kernel is [2 2], weight has [3 3]":                                               {func() (*G.Node, error) { return nn.Conv(images, filters, nil, nn.Window{Kernel: []int{2}}) }, nil},
		"MaxPool: no Window.Kernel":                                                                    {func() (*G.Node, error) { return nn.MaxPool(images, nn.Window{}) }, nil},
		"AvgPool: Window.Groups is 2, it is for Conv":                                                  {func() (*G.Node, error) { return nn.AvgPool(images, nn.Window{Kernel: []int{2}, Groups: 2}) }, gather.ErrOption},
		"LayerNorm: weight of shape (7) does not broadcast to (4, 3)":                                  {func() (*G.Node, error) { return nn.LayerNorm(x, seven, nil, 1e-5) }, gather.ErrShape},
		"LayerNorm: epsilon is -1e-05, a finite number from 0 on is needed":                            {func() (*G.Node, error) { return nn.LayerNorm(x, three, nil, -1e-5) }, gather.ErrOption},
		"RMSNorm: epsilon is NaN, a finite number from 0 on is needed":                                 {func() (*G.Node, error) { return nn.RMSNorm(x, three, math.NaN()) }, gather.ErrOption},
		"BatchNorm: epsilon is +Inf, a finite number from 0 on is needed": {
			func() (*G.Node, error) { return nn.BatchNorm(images, three, three, three, three, math.Inf(1)) }, gather.ErrOption},
		"GroupNorm: groups is 2, x of shape (2, 3, 8, 8) has channels that are no multiple of it": {
			func() (*G.Node, error) { return nn.GroupNorm(images, 2, three, three, 1e-5) }, gather.ErrShape},
		"BatchNorm: variance of shape (7), (3) is allowed": {func() (*G.Node, error) { return nn.BatchNorm(images, three, seven, three, three, 1e-5) }, gather.ErrShape},
		"Attention: q has shape (2, 4, 3), k (4, 3), v (5, 3), (…, m, d), (…, n, d) and (…, n, e) are needed": {
			func() (*G.Node, error) { return nn.Attention(cube, x, weight, nil) }, gather.ErrShape},
		"Attention: mask: Where: shapes (5, 5) and (2, 4, 4) do not broadcast to each other": {func() (*G.Node, error) { return nn.Attention(cube, cube, cube, mask) }, gather.ErrShape},
		"Attention: mask has dtype float32, allowed: bool":                                   {func() (*G.Node, error) { return nn.Attention(cube, cube, cube, x) }, gather.ErrDtype},
		"MSE: y has dtype int64, allowed: float32 and float64":                               {func() (*G.Node, error) { return nn.MSE(ids, ids) }, gather.ErrDtype},
		"Huber: y has dtype float32, wanted has float64, they must be equal":                 {func() (*G.Node, error) { return nn.Huber(x, double, 1) }, gather.ErrDtype},
		"BCEWithLogits: wanted is nil, a node is needed":                                     {func() (*G.Node, error) { return nn.BCEWithLogits(x, nil) }, nil},
		"Cast: to string, allowed: bool, float32, float64, int32 and int64":                  {func() (*G.Node, error) { return nn.Cast(x, tensor.String) }, gather.ErrDtype},
		"Detach: x has dtype int64, allowed: float32 and float64":                            {func() (*G.Node, error) { return nn.Detach(ids) }, gather.ErrDtype},
		"Not: x has dtype float32, allowed: bool":                                            {func() (*G.Node, error) { return nn.Not(x) }, gather.ErrDtype},
	} {
		_, err := c.result()
		if err == nil || err.Error() != want || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
