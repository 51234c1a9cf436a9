// Command bigtable trains two tables, one of a million rows, through a graph that
// knows nothing of their size. docs/embedding.md shows its main lines.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), usage) }
	flag.Parse()

	const batch = 256
	users := must(embedding.Make(tensor.Float32, 1_000_000, 64, embedding.Normal(1, 0, 0.3)))
	films := must(embedding.Make(tensor.Float32, 20_000, 64, embedding.Normal(2, 0, 0.3)))

	g := G.NewGraph()
	user := must(users.Lookup(g, "user", batch)) // a node of (256, 64): a row for each id
	film := must(films.Lookup(g, "film", batch))
	rating := G.NewVector(g, tensor.Float32, G.WithShape(batch), G.WithName("rating"))
	guess := G.Must(G.Sum(G.Must(G.HadamardProd(user.Node(), film.Node())), 1))
	loss := G.Must(G.Sum(G.Must(G.Square(G.Must(G.Sub(guess, rating))))))
	must(G.Grad(loss, user.Node(), film.Node()))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	adagrad := must(embedding.NewAdagrad(embedding.WithLearnRate(0.1)))
	rng := rand.New(rand.NewPCG(1, 2))
	userIDs, filmIDs, ratings := make([]int64, batch), make([]int32, batch), make([]float32, batch)
	for step := range 401 {
		for i := range batch {
			who, what := rng.IntN(300), rng.IntN(40)
			userIDs[i], filmIDs[i] = int64(3333*who), int32(what)
			ratings[i] = float32((who+what)%2*2 - 1) // even users like odd films, and odd ones even films
		}
		check(user.Set(tensor.New(tensor.WithBacking(userIDs)))) // reads the rows
		check(film.Set(tensor.New(tensor.WithBacking(filmIDs))))
		check(G.Let(rating, tensor.New(tensor.WithBacking(ratings))))
		check(machine.RunAll())
		check(adagrad.Step(user, film)) // changes them, and no others
		if step%100 == 0 {
			fmt.Printf("step %d: squared error %.2f\n", step, loss.Value().Data().(float32)/batch)
		}
		machine.Reset()
	}
}

func must[T any](x T, err error) T {
	check(err)
	return x
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

const usage = `usage: bigtable

Trains a table of a million users and one of 20 000 films on synthetic ratings.
Prints the squared error every hundred steps. It has no flags.`
