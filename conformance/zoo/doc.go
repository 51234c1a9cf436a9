// Package zoo compares models of onnx and onnx/builders with PyTorch and ONNX Runtime.
//
// generate.py draws sizes and parameters of 26 small architectures (models.py), exports each one in two ways,
// with the exporter's defaults and with optimize=False and external_data=False, and writes what PyTorch computes. The
// test needs no Python:
//
//	outputs     PyTorch's, and ONNX Runtime's where ONNXRUNTIME_LIB names its library
//	gradients   PyTorch's on TapeMachine and on LispMachine, of every initializer that has elements of parameters
//	training    ten steps of SGD give PyTorch's parameters, and of the default export ten steps of SGD and of Adam its
//	            losses, if Graph.Untrained is empty, and only then
//	writing     ONNX Runtime computes with the written file what the trained graph does
package zoo
