// Package opset holds what packages onnx and openvino do alike. Each of them has a
// [Specification], which is the table of its operators' versions; here is what
// becomes of it: a [Call] is one use of an operator, with its version found, its
// attributes read, and its inputs checked, and a [VersionError] says which other
// version allows what it does not. Besides, files are read within bounds, the
// memory that a model takes is counted, and operands are described.
package opset
