// Package embedding keeps tables of rows outside of graphs, and trains the rows that
// a step has touched, and no others.
//
// In a graph the gradient of a table is as large as the table, and so is the work of
// a solver: a step on a million rows of 64 numbers takes a tenth of a second or
// more, even if it looks up three of them. Here what a lookup gives is an input node
// of the graph, filled before each run. Its gradient is Gorgonia's, as that of any
// input, and one pass over the rows that were looked up does the rest. A step takes
// as long for ten million rows as for ten thousand, but for what the caches of the
// processor make of them.
//
//	users, err := embedding.Make(tensor.Float32, 1_000_000, 64, embedding.Normal(1, 0, 0.1))
//	batch, err := users.Lookup(g, "users", 256)  // a node of (256, 64), to build the model on
//	adam, err := embedding.NewAdam(embedding.WithLearnRate(0.01))
//	…
//	_, err = gorgonia.Grad(loss, append(others, batch.Node())...)
//	…
//	for … {
//		err = batch.Set(ids) // looks up the rows
//		err = machine.RunAll()
//		err = adam.Step(batch) // changes them
//		machine.Reset()
//	}
//
// # Terms
//
// A table has the shape (rows, d...), and a row d... numbers. An id names a row: it is
// an integer from 0 to rows-1 or, counted from the end, from -rows to -1. A lookup
// gives a row for each id; a bag is some ids, and gives one row for all of them:
// their sum, mean or maximum. A step is one change of the tables by an optimiser, t
// counts those of a table, and g is the sum of the gradients of a row over all its
// occurrences in the step.
//
// # What may go wrong
//
// Everything is checked before anything is changed: after an error the table, the
// optimiser, and the lookup are as they were. Errors are those of package dense,
// for errors.Is and errors.As: [dense.ErrShape] and its like, and for an id that is
// out of range [*dense.IndexError].
//
// A step wants a run behind it: Set, RunAll, Step. A second Step, one without a run,
// or one after ids have been set again, is an error on TapeMachine. LispMachine does
// not tell whether it has run, only Set and Step must pair there. On both, a run that
// failed after it had made the gradient cannot be told from one that did not: do not
// Step after an error of RunAll.
//
// NaN and infinities in gradients are taken as they are, and stay in the rows and in
// the states of the optimiser: look at the loss. WithClipNorm refuses them.
//
// The node of a lookup is not for Gorgonia's solvers, nor is a table that is a node.
//
// # Without a graph
//
// [Table.Rows] and [Table.Bags] look rows up in a program that has no graph, as one does
// that serves what another has trained. [Table.Quantize] makes a table whose rows take half
// to a seventh of the memory, for lookups alone.
//
// # Files
//
// [Create] makes a table in a .npy file, which the system maps into memory piece by
// piece, so that it may be larger than that, and [Open] opens one, NumPy's too. What
// optimisers remember of it they keep in files beside. [Save] and [Load] are for any
// tables: a checkpoint of several of them and their optimiser is of one moment,
// whenever the process or the system ends.
//
//	users, err := embedding.Create("users.npy", tensor.Float32, 100_000_000, 64, embedding.Zeros())
//	…
//	err = embedding.Save("checkpoint", map[string]*embedding.Table{"users": users, "items": items}, adam)
//
// Tables of others, of .safetensors files, are opened for lookups alone, and
// [Table.WriteFile] writes such files:
//
//	words, err := embedding.Open("model.safetensors", embedding.WithTensor("model.embed_tokens.weight"))
//	…
//	small, err := words.Quantize(embedding.Int8)
//	err = small.WriteFile("words.safetensors")
//
// # Goroutines
//
// Tables, lookups and optimisers may be used by any number of goroutines. Lookups of a table
// run side by side; a step waits for them, and they for it. Graphs are another
// matter: machines that share one do not go together, so each goroutine has a graph
// of its own. Work is divided between processors as in package dense; no number
// depends on how many there are, nor on assembly.
package embedding
