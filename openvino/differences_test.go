package openvino

// how an answer of ours differs from that of OpenVINO's CPU device.
type how string

const (
	same         how = ""
	refusedHere  how = "an answer there, an error here"
	refusedThere how = "an error there, an answer here"
	otherValue   how = "other values"
	otherShape   how = "another shape or dtype"
)

// key names the vectors that a difference is about: the operator's version and
// what is special about them.
type key struct{ operator, what string }

// A difference is one from OpenVINO 2026.4 that is meant. It must show in every
// vector that its key names, and no other vector may differ.
type difference struct {
	how    how
	reason string
}

// Reasons that several operators share.
const (
	ignoresAttributes = "OpenVINO ignores attributes that the version does not have; a model that sets one means something else than it gets"
	olderNegatives    = "the text allows 0 to s-1; the device adds the size of the axis to a negative index in every version"
	notNumeric        = "the text allows numeric types, of which boolean is none; the device moves any element"
	lacksOperators    = "opset17 is not complete in this release, which lists no such operator for it; an operator's version is the newest not above the set"
	narrowIntegers    = "the device computes 64-bit integers in 32 bits, and so loses the upper half"
	narrowFloats      = "the device computes doubles as float32"
	lowestBatchDims   = "the text allows batch_dims from -min(rank of data, rank of indices); OpenVINO from -(rank of indices)"
	onlyScalar        = "the text lets one element stand for a scalar update; the device does not"
	noTuple           = "a tuple of length 0 names the whole of data, as in ONNX Runtime and TensorFlow; the device reads no index and returns data"
	orderOfNaN        = "NaN is the minimum and the maximum of whatever holds one; the device's comparison lets it win or lose by its place"
)

var differences = map[key]difference{
	{"Gather-1", "index out of range"}:    {refusedHere, "the text does not say what it does; the device fills with zeros, as Gather-8 is meant to"},
	{"Gather-1", "negative index"}:        {refusedHere, "the text allows 0 to s-1; the device fills with zeros"},
	{"Gather-1", "batch_dims attribute"}:  {refusedHere, ignoresAttributes},
	{"Gather-1", "unknown attribute"}:     {refusedHere, ignoresAttributes},
	{"Gather-1", "opset17"}:               {refusedThere, lacksOperators},
	{"Gather-1", "64-bit data"}:           {otherValue, narrowIntegers},
	{"Gather-1", "doubles"}:               {otherValue, narrowFloats},
	{"Gather-7", "unknown attribute"}:     {refusedHere, ignoresAttributes},
	{"Gather-7", "opset17"}:               {refusedThere, lacksOperators},
	{"Gather-7", "64-bit data"}:           {otherValue, narrowIntegers},
	{"Gather-7", "doubles"}:               {otherValue, narrowFloats},
	{"Gather-8", "unknown attribute"}:     {refusedHere, ignoresAttributes},
	{"Gather-8", "opset17"}:               {refusedThere, lacksOperators},
	{"Gather-8", "64-bit data"}:           {otherValue, narrowIntegers},
	{"Gather-8", "doubles"}:               {otherValue, narrowFloats},
	{"Gather-8", "64-bit index"}:          {otherValue, narrowIntegers},
	{"GatherElements-6", "64-bit index"}:  {refusedHere, narrowIntegers},
	{"GatherND-5", "negative index"}:      {refusedHere, olderNegatives},
	{"GatherTree-1", "8-bit integers"}:    {refusedThere, "the text allows any numeric type; the device cannot combine these"},
	{"ScatterUpdate-3", "boolean data"}:   {refusedHere, notNumeric},
	{"ScatterUpdate-3", "scalar indices"}: {refusedThere, "the text gives the formula for them; the device refuses scalars"},

	{"Gather-7", "batch_dims below minus the rank of data"}: {refusedHere, lowestBatchDims},
	{"Gather-8", "batch_dims below minus the rank of data"}: {refusedHere, lowestBatchDims},

	{"GatherElements-6", "no axis"}: {refusedHere, "the text marks the attribute as required; OpenVINO takes 0"},

	{"ScatterElementsUpdate-3", "negative index"}:         {refusedHere, olderNegatives},
	{"ScatterElementsUpdate-3", "boolean data"}:           {refusedHere, notNumeric},
	{"ScatterElementsUpdate-3", "reduction attribute"}:    {refusedHere, ignoresAttributes},
	{"ScatterElementsUpdate-3", "use_init_val attribute"}: {refusedHere, ignoresAttributes},

	{"ScatterElementsUpdate-12", "reduction in capitals"}:      {refusedHere, "the text spells the values in small letters; OpenVINO does not look at the case"},
	{"ScatterElementsUpdate-12", "use_init_val not a boolean"}: {refusedHere, "OpenVINO ignores a value that is no boolean, and takes the default"},
	{"ScatterElementsUpdate-12", "mean of integers below zero"}: {otherValue,
		"the text rounds a mean of integers down; the device cuts off its fraction"},
	{"ScatterElementsUpdate-12", "mean of small integers that overflow"}: {otherValue,
		"the mean lies between the values; the device adds them up in their own type, which wraps around"},
	{"ScatterElementsUpdate-12", "NaN in the updates alone"}: {otherValue, orderOfNaN},

	{"ScatterNDUpdate-3", "opset3"}:                          {refusedThere, "the version is named after opset3; OpenVINO lists it from opset4 on"},
	{"ScatterNDUpdate-3", "negative index"}:                  {refusedHere, olderNegatives},
	{"ScatterNDUpdate-3", "boolean data"}:                    {refusedHere, notNumeric},
	{"ScatterNDUpdate-3", "reduction attribute"}:             {refusedHere, ignoresAttributes},
	{"ScatterNDUpdate-3", "one element for a scalar update"}: {refusedThere, onlyScalar},
	{"ScatterNDUpdate-3", "no index"}:                        {otherValue, noTuple},

	{"ScatterNDUpdate-15", "use_init_val attribute"}:          {refusedHere, ignoresAttributes},
	{"ScatterNDUpdate-15", "one element for a scalar update"}: {refusedThere, onlyScalar},
	{"ScatterNDUpdate-15", "no index"}:                        {otherValue, noTuple},
	{"ScatterNDUpdate-15", "NaN in the updates"}:              {otherValue, orderOfNaN},

	{"EmbeddingSegmentsSum-3", "ids above num_segments"}: {refusedHere, "the text does not allow it; the device drops what such ids pick"},

	{"SegmentMax-16", "no fill_mode"}:   {refusedHere, "the text calls the attribute required; the device fills with zeros"},
	{"SegmentMax-16", "NaN"}:            {otherValue, orderOfNaN},
	{"SegmentMax-16", "minus infinity"}: {otherValue, "the device starts from the lowest finite number, which is not the maximum of what is lower"},
}
