// Package opset holds what packages onnx and openvino do alike: reading a file
// within bounds, counting the memory that a model takes, describing operands,
// and wording what is not allowed.
package opset
