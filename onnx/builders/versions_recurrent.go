package builders

// recurrentVersions is the table of what runs over steps. Before opset 7 these
// operators had another output, and are not supported.
var recurrentVersions = map[string][]version{
	"LSTM": recurrentRows(8, "input_forget"), "GRU": recurrentRows(6, "linear_before_reset"), "RNN": recurrentRows(6),
}

func recurrentRows(inputs int, own ...string) []version {
	attributes := append([]string{"activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size"}, own...)
	withLayout := append([]string{"layout"}, attributes...)
	return []version{
		{since: 7, types: reals, min: 3, max: inputs, attributes: attributes},
		{since: 14, types: reals, min: 3, max: inputs, attributes: withLayout},
		{since: 22, types: realsB, min: 3, max: inputs, attributes: withLayout},
	}
}
