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
// The elements of PCollections are blocks, not single rows, with their numbers as
// bytes, since what runs a pipeline spends about as much on a small element as on
// a large one: [Shard] is some rows of a table, [IDs] some ids, [Rows] some rows in
// the order of ids, [Part] some rows of these that come from one shard. 16 384 rows
// a shard and 65 536 ids a block are what the benchmarks have.
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
// A job writes a new generation beside the one that it reads. Whoever has awaited
// the job commits it: the new manifest, which is written last, takes the place of the
// old one. A job that fails leaves the folder as it was, but for files that nobody
// reads.
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
// A pipeline is built without errors, and reports them where it runs: the
// functions that add to a pipeline return PCollections alone, as those of Beam do. Bad
// arguments make a pipeline that fails with a message that says what was wrong with
// them. An id out of range is a [dense.IndexError] whose position is that in all ids;
// runners pass on its text alone, which [AsIndexError] reads. Of several such ids it is
// one that its worker met first.
package gatherbeam
