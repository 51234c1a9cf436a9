package onnx

// What tests of models with other operators, which stand in package onnx_test,
// make their files of.
var (
	ModelFile      = modelFile
	ModelOf        = modelOf
	Run            = run
	Values         = values
	NodeMessage    = nodeMessage
	IntAttribute   = intAttribute
	ValueMessage   = valueMessage
	Int64Message   = int64Message
	TensorMessage  = tensorMessage
	ModelMessage   = modelMessage
	InputField     = graphInput
	OutputField    = graphOutput
	NodeField      = graphNode
	ConstantsField = graphInitializer
)

// Message is a protobuf message in the making.
type Message = message
