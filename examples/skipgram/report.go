package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"gorgonia.org/gather/internal/examples/picture"
	"gorgonia.org/gather/internal/files"
)

const (
	shownNeighbours = 8
	mapNeighbours   = 6 // of each word on the map
	mapSize         = 8 * vg.Inch
	fontSize        = vg.Length(11)
)

// neighbours finds words whose vectors have nearly the same direction.
type neighbours struct {
	unit   []float64 // the vectors, of length 1
	dim    int
	counts []int
}

// rare words have been seen too seldom for their vectors to say much: they are no
// neighbours.
const rare = 20

func newNeighbours(vectors []float32, dim int, counts []int) *neighbours {
	n := &neighbours{make([]float64, len(vectors)), dim, counts}
	for from := 0; from < len(vectors); from += dim {
		length := 0.0
		for _, x := range vectors[from : from+dim] {
			length += float64(x) * float64(x)
		}
		length = max(math.Sqrt(length), math.SmallestNonzeroFloat64)
		for i, x := range vectors[from : from+dim] {
			n.unit[from+i] = float64(x) / length
		}
	}
	return n
}

// of is the words nearest to one that are not rare, the nearest first.
func (n *neighbours) of(word, count int) []int {
	own := n.unit[word*n.dim:][:n.dim]
	words, cosines := []int{}, make([]float64, len(n.unit)/n.dim)
	for other := range cosines {
		if other == word || n.counts[other] < rare {
			continue
		}
		for i, x := range n.unit[other*n.dim:][:n.dim] {
			cosines[other] += x * own[i]
		}
		words = append(words, other)
	}
	slices.SortStableFunc(words, func(a, b int) int {
		switch {
		case cosines[a] > cosines[b]:
			return -1
		case cosines[a] < cosines[b]:
			return 1
		}
		return 0
	})
	return words[:min(count, len(words))]
}

// save writes the vectors and draws the map.
func save(stdout io.Writer, out string, c *corpus, near *neighbours, asked []int, vectors []float32, dim int) error {
	file := filepath.Join(out, "vectors.txt")
	if err := files.Replace(file, func(w io.Writer) error { return printVectors(w, c.words, vectors, dim) }); err != nil {
		return err
	}
	drawing := filepath.Join(out, "words.png")
	if err := drawMap(drawing, c, near, asked); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\npicture of these words\n  %s\nall vectors, in the format of word2vec\n  %s\n", drawing, file)
	return nil
}

// printVectors writes the vectors as the program word2vec does.
func printVectors(out io.Writer, words []string, vectors []float32, dim int) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%d %d\n", len(words), dim)
	for i, word := range words {
		fmt.Fprint(w, word)
		for _, x := range vectors[i*dim : (i+1)*dim] {
			fmt.Fprintf(w, " %.5g", x)
		}
		fmt.Fprintln(w)
	}
	return errors.WithStack(w.Flush())
}

// drawMap draws words and their neighbours, seen from the two directions in which
// they differ most.
func drawMap(path string, c *corpus, near *neighbours, asked []int) error {
	var words []int
	labels := &plotter.Labels{}
	for i, word := range asked {
		for _, w := range append([]int{word}, near.of(word, mapNeighbours)...) {
			if slices.Contains(words, w) {
				continue
			}
			words = append(words, w)
			labels.Labels = append(labels.Labels, c.words[w])
			labels.TextStyle = append(labels.TextStyle, picture.Text(fontSize, picture.Groups[i%len(picture.Groups)]))
		}
	}
	points, share, err := project(near, words)
	if err != nil {
		return err
	}
	labels.XYs = points
	p := picture.New("Words and their neighbours", "Each colour is a word and its nearest neighbours. Overlapping words are moved apart.",
		fmt.Sprintf("first principal component (%.0f %% of the variance)", 100*share[0]),
		fmt.Sprintf("second principal component (%.0f %%)", 100*share[1]))
	p.Arrange(labels, mapSize, mapSize)
	p.Add(labels)
	return p.Save(mapSize, mapSize, path)
}

// project is the words in the plane of the first two principal components, and the
// shares of the variance that these have.
func project(near *neighbours, words []int) (plotter.XYs, [2]float64, error) {
	rows := mat.NewDense(len(words), near.dim, nil)
	for i, w := range words {
		rows.SetRow(i, near.unit[w*near.dim:][:near.dim])
	}
	var pc stat.PC
	if !pc.PrincipalComponents(rows, nil) {
		return nil, [2]float64{}, errors.New("the principal components of the words cannot be found")
	}
	var directions, flat mat.Dense
	pc.VectorsTo(&directions)
	flat.Mul(rows, directions.Slice(0, near.dim, 0, 2))
	variances := pc.VarsTo(nil)
	sum := 0.0
	for _, v := range variances {
		sum += v
	}
	points := make(plotter.XYs, len(words))
	for i := range points {
		points[i] = plotter.XY{X: flat.At(i, 0), Y: flat.At(i, 1)}
	}
	sum = max(sum, math.SmallestNonzeroFloat64)
	return points, [2]float64{variances[0] / sum, variances[1] / sum}, nil
}
