package builders

// lossVersions is the table of losses, and of what moves elements by conditions and blocks.
var lossVersions = map[string][]version{
	"NegativeLogLikelihoodLoss": {
		{since: 12, types: reals, min: 2, max: 3, attributes: lossAttributes},
		{since: 13, types: reals, min: 2, max: 3, attributes: lossAttributes},
		{since: 22, types: realsB, min: 2, max: 3, attributes: lossAttributes},
	},
	"SoftmaxCrossEntropyLoss": {
		{since: 12, types: reals, min: 2, max: 3, attributes: lossAttributes},
		{since: 13, types: realsB, min: 2, max: 3, attributes: lossAttributes},
	},
	"Compress": {
		{since: 9, types: anything, min: 2, attributes: []string{"axis"}},
		{since: 11, types: anything, min: 2, attributes: []string{"axis"}},
		{since: 28, types: anythingB, min: 2, attributes: []string{"axis"}},
	},
	"DepthToSpace": {
		{since: 1, types: anything, min: 1, attributes: []string{"blocksize"}},
		{since: 11, types: anything, min: 1, attributes: []string{"blocksize", "mode"}},
		{since: 13, types: anythingB, min: 1, attributes: []string{"blocksize", "mode"}},
	},
	"SpaceToDepth": {
		{since: 1, types: anything, min: 1, attributes: []string{"blocksize"}},
		{since: 13, types: anythingB, min: 1, attributes: []string{"blocksize"}},
		{since: 28, types: anythingB, min: 1, attributes: []string{"blocksize", "mode"}},
	},
}

var lossAttributes = []string{"ignore_index", "reduction"}
