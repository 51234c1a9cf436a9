package main

// Groups of cases, in the order of the report.
const (
	Gathers   = "gathers"
	Scatters  = "scatter-adds"
	Gradients = "gradients"
	Rows      = "rows out of cache"

	Reductions = "reductions"
	Backwards  = "gradients of scatters"
	Dtypes     = "dtypes"
	Layouts    = "layouts"
	Sizes      = "sizes"
	Densities  = "densities"
	Picks      = "long lines"
	Trees      = "beam search"
	Strings    = "strings"
	Steps      = "steps of a graph"
	Bags       = "bags"
	Slices     = "slices"
	Segments   = "segments"
	Policies   = "policies"
	Storages   = "rows of few bits"
)

var groups = []string{
	Gathers, Scatters, Gradients, Rows,
	Reductions, Backwards, Dtypes, Layouts, Sizes, Densities, Picks, Trees, Strings, Steps, Bags, Slices, Segments, Storages, Policies,
}

// publishedGroups are those of the 37 cases that were published first.
var publishedGroups = groups[:4]

// sets is the rotation of all cases of the table but the largest.
const sets = 16

// rotationBytes limits the index sets of large cases, which leave the cache
// without a rotation.
const rotationBytes = 1 << 28

// rotation is the number of index sets that a case has.
func (c Case) rotation() int {
	return min(sets, max(1, rotationBytes/(8*size(c.Indices))))
}

// cases are all cases of the table.
func cases() []Case {
	all := publishedCases()
	for i := range all {
		all[i].Sets = sets
	}
	for _, some := range [][]Case{
		reductionCases(), backwardCases(), dtypeCases(), layoutCases(), sizeCases(),
		densityCases(), pickCases(), treeCases(), stringCases(), stepCases(), bagCases(), sliceCases(), segmentCases(), storageCases(), policyCases(),
	} {
		for _, c := range some {
			c.Sets = c.rotation()
			all = append(all, c)
		}
	}
	return all
}

// grouped puts cases into a group.
func grouped(group string, some []Case) []Case {
	for i := range some {
		some[i].Group = group
	}
	return some
}
