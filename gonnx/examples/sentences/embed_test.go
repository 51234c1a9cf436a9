//go:build cgo

package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/gonnx/internal/ortest"
	"gorgonia.org/tensor"
)

// open opens the fetched model, or skips the test.
func open(t testing.TB, tokens int) *sentenceModel {
	t.Helper()
	if _, err := os.Stat(filepath.Join("model", modelFile)); os.IsNotExist(err) {
		t.Skip("skipped: the model is not there, gonnx/examples/sentences/fetch.sh fetches it")
	}
	m, err := openModel("model", tokens)
	require.NoError(t, err)
	return m
}

// hundred are the shipped sentences and others: short and long ones, of other
// scripts, and some that are cut.
func hundred(t testing.TB) []*sentence {
	t.Helper()
	all, _, err := readSentences("", nil)
	require.NoError(t, err)
	shipped := len(all)
	for _, text := range []string{
		"cat", "Cats!", "?", "the", "🐈", "naïve café", "我爱北京天安门", "Привет, как дела?", "한국어 문장", "İstanbul", "[MASK] sat.",
		strings.Repeat("the cat sat on the mat and ", 60), strings.Repeat("x", 200), "3.14159 + 2.71828 = 5.85987", "\u200b",
	} {
		all = append(all, &sentence{text: text})
	}
	for i := 0; len(all) < 100; i++ {
		all = append(all, &sentence{text: all[i%shipped].text + " " + all[(7*i+3)%shipped].text})
	}
	return all
}

// TestVectors compares the vectors of 100 sentences, which go through the model in
// batches, with those that ONNX Runtime has for each alone.
func TestVectors(t *testing.T) {
	m := open(t, 128)
	r := ortest.Open(t)
	all := hundred(t)
	require.Len(t, all, 100)
	m.tokenize(all)
	require.NoError(t, m.embed(context.Background(), all, 8, func(int) {}))
	theirs := r.Load(t, filepath.Join("model", modelFile), []string{"input_ids", "attention_mask"}, []string{sentenceOutput})
	worst, cut := 0.0, 0
	for _, s := range all {
		ids, mask := row(s)
		shape, want := theirs.Run(t, ids, mask)
		require.Equal(t, []int64{1, 384}, shape)
		require.Len(t, s.vector, 384)
		for i, x := range want {
			worst = max(worst, math.Abs(float64(x-s.vector[i])))
		}
		if s.cut {
			cut++
			require.Len(t, s.ids, 128)
		}
	}
	t.Logf("at most %.1e from ONNX Runtime", worst)
	assert.Less(t, worst, 1e-5)
	assert.Equal(t, 1, cut)
}

func row(s *sentence) (ids, mask *tensor.Dense) {
	ones := make([]int64, len(s.ids))
	for i := range ones {
		ones[i] = 1
	}
	return tensor.New(tensor.WithShape(1, len(ones)), tensor.WithBacking(s.ids)), tensor.New(tensor.WithShape(1, len(ones)), tensor.WithBacking(ones))
}

// BenchmarkSentences embeds the shipped sentences, one by one and in batches; on one
// thread with GOMAXPROCS=1.
func BenchmarkSentences(b *testing.B) {
	m := open(b, 128)
	all, _, err := readSentences("", nil)
	require.NoError(b, err)
	m.tokenize(all)
	for _, batch := range []int{1, 8, 32} {
		b.Run(map[int]string{1: "batch=1", 8: "batch=8", 32: "batch=32"}[batch], func(b *testing.B) {
			for range b.N {
				require.NoError(b, m.embed(context.Background(), all, batch, func(int) {}))
			}
			perSentence(b, len(all))
		})
	}
}

// BenchmarkONNXRuntime is the same, one by one, with ONNX Runtime on one thread.
func BenchmarkONNXRuntime(b *testing.B) {
	m := open(b, 128)
	r := ortest.Open(b)
	all, _, err := readSentences("", nil)
	require.NoError(b, err)
	m.tokenize(all)
	theirs := r.Load(b, filepath.Join("model", modelFile), []string{"input_ids", "attention_mask"}, []string{sentenceOutput})
	b.ResetTimer()
	for range b.N {
		for _, s := range all {
			ids, mask := row(s)
			theirs.Run(b, ids, mask)
		}
	}
	perSentence(b, len(all))
}

func perSentence(b *testing.B, n int) {
	b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N*n), "ms/sentence")
	b.ReportMetric(0, "ns/op")
}
