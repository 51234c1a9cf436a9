package gatherbeam

import "math/rand/v2"

// strata are the strata of an epoch in their order. In the stratum of shift s, block u
// of users meets block (u+s) mod B of items. The shifts may come in any order; a new
// random order for each epoch learns better than a fixed one (Gemulla and others,
// section 4.2).
func (c *DSGD) strata(epoch int64, blocks int) []int {
	return rand.New(rand.NewPCG(c.Seed, 1<<63|uint64(epoch))).Perm(blocks)
}

// itemBlock is the block of items that a block of users meets, and userBlock the
// other way round.
func itemBlock(user, shift, blocks int) int { return (user + shift) % blocks }
func userBlock(item, shift, blocks int) int { return (item - shift + blocks) % blocks }

// order is the order of the ratings of a pair of blocks in an epoch.
func (c *DSGD) order(epoch int64, user, item, n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	// A pair has 17 bits for each block: tables have at most 99999 shards.
	rng := rand.New(rand.NewPCG(c.Seed, uint64(epoch)<<34|uint64(user)<<17|uint64(item)))
	rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}
