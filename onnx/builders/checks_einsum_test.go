package builders

import (
	"slices"
	"strings"
)

// einsum is the sum of products by its definition. All axes have letters: those that
// "..." stands for are written out.
func einsum(terms, result string) func(in []array) array {
	return func(in []array) array {
		names := strings.Split(terms, ",")
		sizes := map[rune]int{}
		var letters []rune
		for i, term := range names {
			for d, r := range term {
				if _, there := sizes[r]; !there {
					letters = append(letters, r)
				}
				sizes[r] = max(sizes[r], in[i].shape[d])
			}
		}
		var summed []int
		var others []rune
		for _, r := range letters {
			if !strings.ContainsRune(result, r) {
				summed, others = append(summed, sizes[r]), append(others, r)
			}
		}
		shape := []int{}
		for _, r := range result {
			shape = append(shape, sizes[r])
		}
		return made(shape, func(c []int) float64 {
			place := map[rune]int{}
			for d, r := range result {
				place[r] = c[d]
			}
			all := made(summed, func(c []int) float64 {
				for d, r := range others {
					place[r] = c[d]
				}
				x := 1.0
				for i, term := range names {
					at := []int{}
					for d, r := range term {
						at = append(at, min(place[r], in[i].shape[d]-1))
					}
					x *= in[i].at(at...)
				}
				return x
			})
			sum := 0.0
			for _, x := range all.values {
				sum += x
			}
			return sum
		})
	}
}

func einsumChecks() []check {
	var list []check
	for _, c := range []struct {
		equation, terms, result string // with letters for "..."
		shapes                  [][]int
	}{
		{"ij->ij", "", "", [][]int{{2, 3}}},
		{"ij->ji", "", "", [][]int{{2, 3}}},
		{"ijk->", "", "", [][]int{{2, 3, 2}}},
		{"->", "", "", [][]int{{}}},
		{"ij->j", "", "", [][]int{{2, 3}}},
		{" b i j -> j b ", "bij", "jb", [][]int{{2, 3, 4}}},
		{"ii->i", "", "", [][]int{{3, 3}}},
		{"ii", "ii", "", [][]int{{3, 3}}},
		{"iji->ji", "", "", [][]int{{3, 2, 3}}},
		{"ba", "ba", "ab", [][]int{{2, 3}}},
		{"bA", "bA", "Ab", [][]int{{2, 3}}},
		{"...ij->...ji", "xyij", "xyji", [][]int{{2, 1, 3, 2}}},
		{"...->...", "xy", "xy", [][]int{{2, 3}}},
		{"...ii->i...", "xyii", "ixy", [][]int{{2, 4, 3, 3}}},
		{"i...", "ixy", "xyi", [][]int{{2, 4, 3}}},

		{"ij,jk->ik", "", "", [][]int{{2, 3}, {3, 4}}},
		{"ij,jk", "ij,jk", "ik", [][]int{{2, 3}, {3, 4}}},
		{"ij,jk->ki", "", "", [][]int{{2, 3}, {3, 4}}},
		{"ji,kj->ik", "", "", [][]int{{3, 2}, {4, 3}}},
		{"ji,jk->ik", "", "", [][]int{{3, 2}, {3, 4}}},
		{"bij,bjk->bik", "", "", [][]int{{2, 2, 3}, {2, 3, 4}}},
		{"bij,jk->bik", "", "", [][]int{{2, 2, 3}, {3, 4}}},
		{"bhqd,bhkd->bhqk", "", "", [][]int{{2, 2, 3, 2}, {2, 2, 4, 2}}},
		{"bqhd,bkhd->bhqk", "", "", [][]int{{2, 3, 2, 2}, {2, 4, 2, 2}}},
		{"bhqk,bkhd->bqhd", "", "", [][]int{{2, 2, 3, 4}, {2, 4, 2, 2}}},
		{"...ij,...jk->...ik", "xij,xjk", "xik", [][]int{{2, 2, 3}, {2, 3, 4}}},
		{"...ij,...jk->...ik", "xyij,yjk", "xyik", [][]int{{2, 1, 2, 3}, {3, 3, 2}}},
		{"i,j->ij", "", "", [][]int{{2}, {3}}},
		{"i,i->i", "", "", [][]int{{3}, {3}}},
		{"i,i", "i,i", "", [][]int{{3}, {3}}},
		{",ij->ij", "", "", [][]int{{}, {2, 3}}},
		{"ij,->", "", "", [][]int{{2, 3}, {}}},
		{"bi,bi->b", "", "", [][]int{{3, 2}, {3, 2}}},
		{"bi,ib->i", "", "", [][]int{{3, 2}, {2, 3}}},
		{"ij,kl->jl", "", "", [][]int{{2, 3}, {2, 4}}},
		{"iij,jk->ik", "", "", [][]int{{2, 2, 3}, {3, 4}}},
		{"ij,jkl->l", "", "", [][]int{{2, 3}, {3, 2, 4}}},
		{"ijk,kj->i", "", "", [][]int{{2, 3, 4}, {4, 3}}},
		{"ij,jk->ik", "", "", [][]int{{2, 1}, {3, 4}}},
		{"bij,bjk->bik", "", "", [][]int{{1, 2, 3}, {2, 3, 4}}},
		{"ij,ij->ij", "", "", [][]int{{2, 1}, {1, 3}}},

		{"bn,anm,bm->ba", "", "", [][]int{{2, 3}, {2, 3, 4}, {2, 4}}},
		{"ij,jk,kl->il", "", "", [][]int{{2, 3}, {3, 2}, {2, 4}}},
		{"i,j,k->kji", "", "", [][]int{{2}, {3}, {2}}},
		{"ij,i,j->", "", "", [][]int{{2, 3}, {2}, {3}}},
		{"a...,...b,b->...a", "axy,yb,b", "xya", [][]int{{2, 2, 3}, {3, 4}, {4}}},
	} {
		if c.terms == "" {
			c.terms, c.result, _ = strings.Cut(c.equation, "->")
		}
		list = append(list, check{op: "Einsum", opset: 12, attrs: map[string]any{"equation": c.equation}, shapes: slices.Clone(c.shapes), want: einsum(c.terms, c.result)})
	}
	return list
}
