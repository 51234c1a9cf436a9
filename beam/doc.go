// Package gatherbeam gathers and scatters rows of tables that are larger than a
// machine, on Apache Beam.
//
// A table (R, d...) lies in shards: .npy files, each with some of the rows, as
// package embedding and NumPy write them. Ids lie in blocks: elements of a
// PCollection, each with some of the M ids. What comes out is what package dense
// gives for the whole table and all ids, bit for bit, whatever the shards, the
// blocks, the workers and the runner:
//
//	out[j, …] = table[ids[j], …]                    GatherFrom, Gather: (M, d...)
//	out[ids[j], …] = out[ids[j], …] ∘ updates[j, …] ScatterND: (R, d...), ∘ a reduction
//
// where j runs through the positions 0 … M-1 of the ids.
//
// # Elements
//
// The elements of PCollections are blocks, not single rows, and hold their numbers as
// bytes, since a runner spends about as much time on a small element as on a large
// one. A [Shard] is some rows of a table, [IDs] are some ids, [Rows] are a row for
// each of these ids in their order, and a [Part] is those of these rows that come from
// one shard. The benchmarks use 16 384 rows a shard and 65 536 ids a block.
//
// # Tables in files
//
// A folder, of any file system that Beam knows by the scheme of its path, holds
// tables and a manifest that says what they are:
//
//	manifest.json
//	generation-000002-5f0d8c31a2b94e67/
//	    users-00000-of-00016.npy
//	    …
//	    users-00015-of-00016.npy
//	    users.written.json
//
// A job writes a new generation beside the one that it reads. The program that waits
// for the job commits the generation: the new manifest, which is written last, replaces
// the old one. A job that fails leaves the folder as it was, except for files that
// nobody reads.
//
//	old, err := gatherbeam.OpenTable(ctx, folder, "users")
//	next, err := gatherbeam.NewGeneration(ctx, folder)
//	users, err := next.Like(old)
//	p, s := beam.NewPipelineWithRoot()
//	gatherbeam.WriteTable(s, users, gatherbeam.ScatterND(s, gatherbeam.ReadTable(s, old), ids, updates, dense.WithReduction(dense.Add)))
//	err = beamx.Run(ctx, p)
//	err = next.Commit(ctx)
//
// # Errors
//
// Errors are reported when the pipeline runs: the functions that add to a pipeline
// return PCollections alone, as those of Beam do. A pipeline built from bad arguments
// fails with a message that says what was wrong with them. An id out of range is a
// [dense.IndexError] with the position among all ids. Runners pass on only its text,
// which [AsIndexError] reads. Of several such ids the error names the first one that
// some worker met.
package gatherbeam
