// Package embedding keeps tables of rows outside of graphs. A step trains only the
// rows that it looked up.
//
// In a graph the gradient of a table is as large as the table, and so is the work of
// a solver: a step on a million rows of 64 numbers takes a tenth of a second or
// more, even if it looks up three of them. Here the result of a lookup is an input node
// of the graph, filled before each run. Gorgonia computes its gradient as that of any
// input, and an optimiser then changes the rows that were looked up. A step takes
// at most three times as long for ten million rows as for ten thousand, because of cache
// misses.
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
// A table has the shape (rows, d...), and a row has d... numbers. An id is the number
// of a row: an integer from 0 to rows-1 or, counted from the end, from -rows to -1. A
// lookup gives a row for each id. A bag is a list of ids, and gives one row: the sum,
// mean or maximum of their rows, or their sum over the root of their number. A step is one
// change of the tables by an optimiser, t is the number of steps of a table, and g is the sum
// of the gradients of a row over all its occurrences in the step.
//
// # What may go wrong
//
// Everything is checked before anything is changed: after an error the table, the
// optimiser, and the lookup are as they were. Errors are those of package dense,
// for errors.Is and errors.As: [dense.ErrShape] and the like, and [*dense.IndexError]
// for an id that is out of range.
//
// The order of a step is Set, RunAll, Step. A second Step, one without a run,
// or one after ids have been set again, is an error on TapeMachine. LispMachine does
// not tell whether it has run; there only the pairing of Set and Step is checked. On
// both, a run that failed after it had computed the gradient looks like a good one: do
// not Step after an error of RunAll.
//
// A lookup keeps its rows until the next Set. A graph that runs again without one
// computes with the old rows, and nothing reports it.
//
// NaN and infinities in gradients reach the rows and the states of the optimiser: check
// the loss. With WithClipNorm they are an error.
//
// Do not give the node of a lookup to a solver of Gorgonia's.
//
// # Without a graph
//
// [Table.Rows] and [Table.Bags] look rows up without a graph, in a program that serves a
// trained table. [Table.Quantize] makes a table whose rows take half to a seventh of the
// memory, for lookups only.
//
// # Files
//
// [Create] makes a table in a .npy file, which is mapped, so that it may be larger than
// memory. [Open] opens such a file, also one of NumPy. The states of optimisers are in
// files beside it. [Save] and [Load] are for tables of all kinds: a checkpoint has
// several tables and their optimiser at one moment, and survives a crash of the process
// or the system.
//
//	users, err := embedding.Create("users.npy", tensor.Float32, 100_000_000, 64, embedding.Zeros())
//	…
//	err = embedding.Save("checkpoint", map[string]*embedding.Table{"users": users, "items": items}, adam)
//
// [Open] also opens tensors of .safetensors files, for lookups only, and
// [Table.WriteFile] and [WriteTables] write such files:
//
//	words, err := embedding.Open("model.safetensors", embedding.WithTensor("model.embed_tokens.weight"))
//	…
//	small, err := words.Quantize(embedding.Int8)
//	err = small.WriteFile("words.safetensors")
//	err = embedding.WriteTables("model.safetensors", map[string]*embedding.Table{"users": users, "words": small})
//
// # Goroutines
//
// Tables, lookups and optimisers may be used by any number of goroutines. Lookups of a table
// run in parallel; a step waits for them, and they for it. Machines must not share a
// graph: give each goroutine a graph of its own. Work is divided between processors as in
// package dense; results do not depend on their number, nor on assembly.
package embedding
