// Package torch compares values and gradients with PyTorch's.
//
// generate.py runs PyTorch on random calls and writes vectors.jsonl.gz; the test replays that file through the graph
// operators, so it needs no Python. Each case runs twice: with gorgonia.Grad on a TapeMachine, which follows SymDiff,
// and on a LispMachine, which follows DoDiff.
//
//	PyTorch                     here
//	index_select, x[…, i, …]    Gather
//	gather                      GatherElements
//	x[i0, i1, …]                GatherND
//	scatter, scatter_add        ScatterElements with None, Add
//	scatter_reduce              ScatterElements with Add, Mul, Mean, Max, Min, and WithInitValue for include_self
//	index_put                   ScatterND with None, or Add where it accumulates
//	index_copy                  ScatterUpdate
//	cross_entropy, nll_loss     CrossEntropy and NLL of package nn, by losses.py
//
// Where PyTorch's gradient is known to be another than the derivative, differences_test.go says at which elements; all
// others must agree.
package torch
