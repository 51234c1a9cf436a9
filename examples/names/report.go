package main

import (
	"fmt"
	"io"
	"path/filepath"
)

// report prints the result of the training.
func report(stdout io.Writer, h *history, base *bigram, c *corpus, names []string) {
	bits, counted := h.held[len(h.held)-1], base.bits(c.held)
	fmt.Fprintf(stdout, "\nheld-out names, loss in bits per character\n")
	fmt.Fprintf(stdout, "  this model     %.3f\n", bits)
	fmt.Fprintf(stdout, "  bigram counts  %.3f  (with add-%g smoothing, chosen on these names)\n", counted, base.k)
	if bits < counted {
		fmt.Fprintf(stdout, "  this model is better by %.3f\n", counted-bits)
	} else {
		fmt.Fprintf(stdout, "  the counts are better: the model needs more -epochs or another -rate\n")
	}
	fmt.Fprintf(stdout, "\n%d generated names\n", len(names))
	for _, n := range names {
		fmt.Fprintf(stdout, "  %s\n", n)
	}
}

// save draws the pictures and says where they are.
func save(stdout io.Writer, folder string, h *history, base *bigram, c *corpus, w *weights) error {
	loss := filepath.Join(folder, "loss.png")
	if err := plotLoss(loss, h, base.bits(c.held)); err != nil {
		return err
	}
	embedding := filepath.Join(folder, "embedding.png")
	if err := plotEmbedding(embedding, w.embedding, c.symbols); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "\npictures\n  %s\n  %s\n", loss, embedding)
	return err
}
