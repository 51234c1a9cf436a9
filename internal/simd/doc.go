// Package simd holds loops over plain memory: each in Go and, where that is much
// faster, in assembly. What a loop in Go does is what that in assembly does, bit for bit.
// The loops in Go that Exps and Clamp stand for are in the packages that call them.
//
// It resolves and clamps indices, copies and combines single elements and rows, makes means of
// sums, reduces the rows of bags and changes rows by the rules of optimisers. The loops check
// indices, where they take any, and nothing else: offsets have been checked by Resolve, and
// the caller has seen to it that the memory is there.
//
// An Implementation has all loops that there are. The one in use is the fastest that the
// processor can run.
package simd
