package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/pkg/errors"
	gathergonnx "gorgonia.org/gather/gonnx"
	"gorgonia.org/gather/gonnx/examples/sentences/wordpiece"
	"gorgonia.org/tensor"
)

// What fetch.sh puts into the model's folder.
const (
	modelFile      = "paraphrase-MiniLM-L3-v2.onnx"
	vocabularyFile = "vocab.txt"
)

// sentenceOutput is the model's output with a vector for each sentence: the mean of
// what the last layer has for its tokens. The name is the exporter's.
const sentenceOutput = "461"

// positions is how many tokens the model has places for.
const positions = 512

// A sentenceModel makes vectors of sentences.
type sentenceModel struct {
	model  *gathergonnx.Model
	tokens *wordpiece.Tokenizer
	most   int // tokens of a sentence, of which the rest is left out
}

// openModel reads the model and its vocabulary.
func openModel(folder string, most int) (*sentenceModel, error) {
	vocabulary, err := os.Open(filepath.Join(folder, vocabularyFile))
	if err != nil {
		return nil, errors.Wrap(err, "the model is not there: gonnx/examples/sentences/fetch.sh fetches it, and -model says where it is")
	}
	defer vocabulary.Close()
	tokens, err := wordpiece.New(vocabulary)
	if err != nil {
		return nil, errors.WithMessage(err, vocabulary.Name())
	}
	model, err := gathergonnx.LoadFile(filepath.Join(folder, modelFile))
	if err != nil {
		return nil, err
	}
	if !slices.Contains(model.OutputNames(), sentenceOutput) {
		return nil, errors.Errorf("%s has no output %q, it has %q", modelFile, sentenceOutput, model.OutputNames())
	}
	return &sentenceModel{model: model, tokens: tokens, most: most}, nil
}

// A sentence is a line with what the model makes of it.
type sentence struct {
	line   int // counted from 1
	text   string
	ids    []int64
	cut    bool      // only its beginning was used
	vector []float32 // nil until it is embedded
}

// tokenize cuts the sentences into tokens.
func (m *sentenceModel) tokenize(all []*sentence) {
	for _, s := range all {
		s.ids, s.cut = m.tokens.Encode(s.text, m.most)
	}
}

// embed gives every sentence its vector, batch of them at a time, and calls step
// with the number of each batch. When the context ends it stops between two batches,
// which is no error: sentences without a vector are left.
func (m *sentenceModel) embed(ctx context.Context, all []*sentence, batch int, step func(n int)) error {
	// Sentences of like length go together: the shorter ones are filled up with
	// tokens that cost as much as others.
	byLength := slices.Clone(all)
	slices.SortStableFunc(byLength, func(a, b *sentence) int { return len(a.ids) - len(b.ids) })
	for part := range slices.Chunk(byLength, batch) {
		if ctx.Err() != nil {
			return nil
		}
		if err := m.embedBatch(part); err != nil {
			return err
		}
		step(len(part))
	}
	return nil
}

func (m *sentenceModel) embedBatch(part []*sentence) error {
	length := 0
	for _, s := range part {
		length = max(length, len(s.ids))
	}
	ids, mask := make([]int64, len(part)*length), make([]int64, len(part)*length)
	for i, s := range part {
		copy(ids[i*length:], s.ids)
		for j := range s.ids {
			mask[i*length+j] = 1
		}
	}
	out, err := m.model.Run(gonnx.Tensors{
		"input_ids":      tensor.New(tensor.WithShape(len(part), length), tensor.WithBacking(ids)),
		"attention_mask": tensor.New(tensor.WithShape(len(part), length), tensor.WithBacking(mask)),
	})
	if err != nil {
		return err
	}
	var vectors []float32
	if d, ok := out[sentenceOutput].(*tensor.Dense); ok && d.Dtype() == tensor.Float32 {
		vectors = d.Float32s()
	}
	if len(vectors) == 0 || len(vectors)%len(part) != 0 {
		return errors.Errorf("the model gives a %v of shape %v for %d sentences", out[sentenceOutput].Dtype(), out[sentenceOutput].Shape(), len(part))
	}
	width := len(vectors) / len(part)
	for i, s := range part {
		s.vector = vectors[i*width : (i+1)*width]
	}
	return nil
}

// cosine is that of the angle between two vectors: 1 for the same direction, about 0
// for sentences that have nothing to do with each other. A vector of zeros has no
// direction, and is like nothing.
func cosine(a, b []float32) float64 {
	var product, squareA, squareB float64
	for i, x := range a {
		y := float64(b[i])
		product += float64(x) * y
		squareA += float64(x) * float64(x)
		squareB += y * y
	}
	if squareA == 0 || squareB == 0 {
		return 0
	}
	return product / math.Sqrt(squareA*squareB)
}
