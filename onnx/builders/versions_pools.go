package builders

import "gorgonia.org/tensor"

// windowVersions is the table of what moves a window over the spatial axes, and
// of what lays elements around or beside others.
var windowVersions = map[string][]version{
	"Conv": convRows(), "ConvTranspose": convRows("output_padding", "output_shape"),
	"MaxPool": maxPoolRows(), "AveragePool": averagePoolRows(),
	"GlobalMaxPool": since22(1), "GlobalAveragePool": since22(1),
	"Pad": {
		{since: 2, types: reals, min: 1, attributes: []string{"mode", "pads", "value"}},
		{since: 11, types: numeric, min: 2, max: 3, attributes: []string{"mode"}},
		{since: 13, types: anythingB, min: 2, max: 3, attributes: []string{"mode"}},
		{since: 18, types: anythingB, min: 2, max: 4, attributes: []string{"mode"}},
		{since: 19, types: anythingB, min: 2, max: 4, attributes: []string{"mode"}},
	},
	"Tile":   {{since: 6, types: anything, min: 2}, {since: 13, types: anythingB, min: 2}},
	"OneHot": {{since: 9, types: numeric, min: 3, attributes: []string{"axis"}}, {since: 11, types: numeric, min: 3, attributes: []string{"axis"}}},
}

func convRows(own ...string) []version {
	attributes := append(own, "auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")
	return []version{
		{since: 1, types: reals, min: 2, max: 3, attributes: attributes},
		{since: 11, types: reals, min: 2, max: 3, attributes: attributes},
		{since: 22, types: realsB, min: 2, max: 3, attributes: attributes},
	}
}

// poolAttributes are those that all versions of the pools have.
var poolAttributes = []string{"auto_pad", "kernel_shape", "pads", "strides"}

func maxPoolRows() []version {
	ordered := append([]string{"storage_order"}, poolAttributes...)
	dilated := append([]string{"ceil_mode", "dilations"}, ordered...)
	bytes := reals.And(tensor.Int8, tensor.Uint8)
	return []version{
		{since: 1, types: reals, min: 1, attributes: poolAttributes},
		{since: 8, types: reals, min: 1, attributes: ordered},
		{since: 10, types: reals, min: 1, attributes: dilated},
		{since: 11, types: reals, min: 1, attributes: dilated},
		{since: 12, types: bytes, min: 1, attributes: dilated},
		{since: 22, types: bytes.And(bf16), min: 1, attributes: dilated},
	}
}

func averagePoolRows() []version {
	counted := append([]string{"count_include_pad"}, poolAttributes...)
	ceiled := append([]string{"ceil_mode"}, counted...)
	dilated := append([]string{"dilations"}, ceiled...)
	return []version{
		{since: 1, types: reals, min: 1, attributes: poolAttributes},
		{since: 7, types: reals, min: 1, attributes: counted},
		{since: 10, types: reals, min: 1, attributes: ceiled},
		{since: 11, types: reals, min: 1, attributes: ceiled},
		{since: 19, types: reals, min: 1, attributes: dilated},
		{since: 22, types: realsB, min: 1, attributes: dilated},
	}
}
