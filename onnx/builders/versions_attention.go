package builders

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// attentionVersions is the table of what transformers are made of.
var attentionVersions = map[string][]version{
	"Attention": {
		{since: 23, types: realsB, min: 3, max: 6, attributes: attentionAttributes},
		{since: 24, types: realsB, min: 3, max: 7, attributes: attentionAttributes},
		{since: 25, types: realsB, min: 3, max: 7, attributes: append([]string{"left_window_size", "right_window_size"}, attentionAttributes...)},
	},
	"RotaryEmbedding": {{since: 23, types: opset.Dtypes{tensor.Float32, dense.Float16, bf16}, min: 3, max: 4,
		attributes: []string{"interleaved", "num_heads", "rotary_embedding_dim"}}},
}

var attentionAttributes = []string{"is_causal", "kv_num_heads", "q_num_heads", "qk_matmul_output_mode", "scale", "softcap", "softmax_precision"}
