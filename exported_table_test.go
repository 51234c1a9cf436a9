package gather_test

import (
	"gorgonia.org/gather"
	gatherdense "gorgonia.org/gather/dense"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/shapes"
)

// exported are the functions of the packages for users, which are called with
// everything that a caller can get wrong. TestExportedIsComplete finds what is
// missing.
var exported = map[string]any{
	"gather.Gather":                 gather.Gather,
	"gather.GatherElements":         gather.GatherElements,
	"gather.GatherND":               gather.GatherND,
	"gather.ScatterElements":        gather.ScatterElements,
	"gather.ScatterND":              gather.ScatterND,
	"gather.ScatterUpdate":          gather.ScatterUpdate,
	"gather.EmbeddingBagOffsets":    gather.EmbeddingBagOffsets,
	"gather.EmbeddingBagPacked":     gather.EmbeddingBagPacked,
	"gather.EmbeddingSegments":      gather.EmbeddingSegments,
	"gather.SegmentMax":             gather.SegmentMax,
	"gather.WithDefaultIndex":       gather.WithDefaultIndex,
	"gather.WithFillMode":           gather.WithFillMode,
	"gather.GatherTree":             gather.GatherTree,
	"gather.AsIndexError":           gather.AsIndexError,
	"gather.WithBatchDims":          gather.WithBatchDims,
	"gather.WithFusedBatchDims":     gather.WithFusedBatchDims,
	"gather.WithOutOfRange":         gather.WithOutOfRange,
	"gather.WithNonNegativeIndices": gather.WithNonNegativeIndices,
	"gather.WithReduction":          gather.WithReduction,
	"gather.WithInitValue":          gather.WithInitValue,

	"dense.Gather":                 gatherdense.Gather,
	"dense.GatherElements":         gatherdense.GatherElements,
	"dense.GatherND":               gatherdense.GatherND,
	"dense.ScatterElements":        gatherdense.ScatterElements,
	"dense.ScatterND":              gatherdense.ScatterND,
	"dense.ScatterUpdate":          gatherdense.ScatterUpdate,
	"dense.EmbeddingBagOffsets":    gatherdense.EmbeddingBagOffsets,
	"dense.EmbeddingBagPacked":     gatherdense.EmbeddingBagPacked,
	"dense.EmbeddingSegments":      gatherdense.EmbeddingSegments,
	"dense.SegmentMax":             gatherdense.SegmentMax,
	"dense.WithDefaultIndex":       gatherdense.WithDefaultIndex,
	"dense.WithFillMode":           gatherdense.WithFillMode,
	"dense.AddEmbeddingBagOffsets": gatherdense.AddEmbeddingBagOffsets,
	"dense.AddEmbeddingBagPacked":  gatherdense.AddEmbeddingBagPacked,
	"dense.AddEmbeddingSegments":   gatherdense.AddEmbeddingSegments,
	"dense.AddSegmentMax":          gatherdense.AddSegmentMax,
	"dense.GatherTree":             gatherdense.GatherTree,
	"dense.AddGather":              gatherdense.AddGather,
	"dense.AddGatherElements":      gatherdense.AddGatherElements,
	"dense.AddGatherND":            gatherdense.AddGatherND,
	"dense.WithBatchDims":          gatherdense.WithBatchDims,
	"dense.WithFusedBatchDims":     gatherdense.WithFusedBatchDims,
	"dense.WithOutOfRange":         gatherdense.WithOutOfRange,
	"dense.WithNonNegativeIndices": gatherdense.WithNonNegativeIndices,
	"dense.WithReduction":          gatherdense.WithReduction,
	"dense.WithInitValue":          gatherdense.WithInitValue,
	"dense.WithReuse":              gatherdense.WithReuse,
	"dense.WithMaxBytes":           gatherdense.WithMaxBytes,
	"dense.ReadNpy":                gatherdense.ReadNpy,
	"dense.WriteNpy":               gatherdense.WriteNpy,

	"diff.ScatterAdd":         diff.ScatterAdd,
	"diff.ScatterGradData":    diff.ScatterGradData,
	"diff.ScatterGradUpdates": diff.ScatterGradUpdates,
	"diff.BagGradTable":       diff.BagGradTable,
	"diff.BagGradWeights":     diff.BagGradWeights,
	"diff.AddBagTo":           diff.AddBagTo,
	"diff.AddTo":              diff.AddTo,
	"diff.AddScatterTo":       diff.AddScatterTo,

	"shapes.Axis":                shapes.Axis,
	"shapes.Equal":               shapes.Equal,
	"shapes.FuseBatchDims":       shapes.FuseBatchDims,
	"shapes.Gather":              shapes.Gather,
	"shapes.GatherBatchDims":     shapes.GatherBatchDims,
	"shapes.GatherElements":      shapes.GatherElements,
	"shapes.GatherND":            shapes.GatherND,
	"shapes.EmbeddingBagOffsets": shapes.EmbeddingBagOffsets,
	"shapes.EmbeddingBagPacked":  shapes.EmbeddingBagPacked,
	"shapes.EmbeddingSegments":   shapes.EmbeddingSegments,
	"shapes.SegmentMax":          shapes.SegmentMax,
	"shapes.GatherTree":          shapes.GatherTree,
	"shapes.ScatterElements":     shapes.ScatterElements,
	"shapes.ScatterND":           shapes.ScatterND,
	"shapes.ScatterUpdate":       shapes.ScatterUpdate,
}

// exportedTypes are the types of these packages, all methods of which are called:
// those of values, of zero values and of nil pointers.
var exportedTypes = map[string]any{
	"gather.Option":     gather.Option{},
	"gather.OutOfRange": gather.OutOfRange(200),
	"gather.Reduction":  gather.Reduction(200),
	"gather.FillMode":   gather.FillMode(200),
	"dense.FillMode":    gatherdense.FillLowest,
	"gather.IndexError": gather.IndexError{},
	"gather.BF16":       gather.BF16(1),
	"dense.Option":      gatherdense.Option{},
	"dense.OutOfRange":  gatherdense.Reject,
	"dense.ReadOption":  gatherdense.ReadOption{},
	"dense.Reduction":   gatherdense.Mean,
	"dense.IndexError":  gatherdense.IndexError{Op: "GatherTree", Position: []int{1}, Operands: []string{"a b"}},
	"dense.BF16":        gatherdense.BF16(0),
	// Interfaces: what implements them are the operators of TestOperatorMethods.
	"diff.Operator": nil,
	"diff.Gather":   nil,
	"diff.Scatter":  nil,
}
