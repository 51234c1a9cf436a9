module gorgonia.org/gather/conformance

go 1.24

require (
	github.com/yalue/onnxruntime_go v1.31.0
	google.golang.org/protobuf v1.36.11
	gorgonia.org/gather v0.0.0
	gorgonia.org/tensor v0.9.24
)

replace gorgonia.org/gather => ../
