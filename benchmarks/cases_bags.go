package main

import "fmt"

// embeddingBag is the operator that the cases of bags have: all frameworks know bags
// of one size.
const embeddingBag = "EmbeddingBagPacked"

// bagCases are sums, means and maxima of 4096 bags of 32 rows of 64 numbers, out of
// tables in the cache of no machine, and the gradients of sums. The ids are evenly
// spread, or few of them are most: Zipf's law.
func bagCases() []Case {
	var all []Case
	for _, rows := range []int{100000, 1000000} {
		for _, zipf := range []bool{false, true} {
			c := Case{Op: embeddingBag, Data: []int{rows, 64}, Indices: []int{4096, 32}, Zipf: zipf}
			place := fmt.Sprintf("%d rows", rows)
			if zipf {
				place += ", Zipf"
			}
			for _, r := range []Reduction{Add, Mean, Max} {
				c.Name, c.Mode, c.Reduction = fmt.Sprintf("%s %s, %s", c.Op, r, place), Read, r
				all = append(all, c)
			}
			c.Name, c.Mode, c.Reduction = fmt.Sprintf("gradient of %s add, %s", c.Op, place), Gradient, Add
			all = append(all, c)
		}
	}
	return grouped(Bags, all)
}
