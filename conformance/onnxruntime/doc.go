// Package onnxruntime compares the ONNX operators of gorgonia.org/gather/onnx with ONNX Runtime on random cases.
//
// A case is an operator with its opset and attributes, and its inputs. It follows from a seed and a number alone:
//
//	config   operator, opset, dtypes, ranks, attributes   drawn from seed and number/8
//	case     shapes, values, indices                      drawn from seed and number
//
// Eight neighbouring cases share a config because ONNX Runtime needs a session for each, which costs far more than a
// run. The config declares ranks and leaves every dim open, so one session takes all eight.
//
// Both sides get the same bytes. Where both give a tensor, its dtype, shape and every bit must agree (a NaN agrees
// with any NaN); where one of them gives an error, the other must too. What is meant to differ is listed in
// differences.go: a case that disagrees, and that none of those predicates covers, fails the test.
//
// The library is loaded from the path in the environment variable ONNXRUNTIME_LIB, which conformance/install.sh
// prints. Without it the test is skipped.
package onnxruntime
