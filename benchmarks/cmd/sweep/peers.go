package main

const (
	pyTorch     = "PyTorch"
	onnxRuntime = "ONNX Runtime"
)

type peer interface{}
