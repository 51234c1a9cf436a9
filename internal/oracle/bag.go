package oracle

// A bag is a list of positions, each of which picks a row of a table. The positions of all bags together are in row-major
// order of the indices. There are three ways to say which are in which bag.

// OffsetBags are the bags that begin at the given positions, of n. The last one goes to the end.
func OffsetBags(n int, offsets []int64) [][]int {
	bags := make([][]int, len(offsets))
	for b := range bags {
		end := int64(n)
		if b+1 < len(offsets) {
			end = offsets[b+1]
		}
		for p := offsets[b]; p < end; p++ {
			bags[b] = append(bags[b], int(p))
		}
	}
	return bags
}

// LengthBags are the bags that have the given numbers of positions, from the first on.
func LengthBags(lengths []int64) [][]int {
	bags, p := make([][]int, len(lengths)), 0
	for b, length := range lengths {
		for range length {
			bags[b] = append(bags[b], p)
			p++
		}
	}
	return bags
}

// PackedBags are so many bags of k positions each.
func PackedBags(bags, k int) [][]int {
	all := make([][]int, bags)
	for b := range all {
		for p := range k {
			all[b] = append(all[b], b*k+p)
		}
	}
	return all
}

// SegmentBags are so many bags of the positions that have their numbers.
func SegmentBags(ids []int64, bags int) [][]int {
	all := make([][]int, bags)
	for p, id := range ids {
		if 0 <= id && id < int64(bags) {
			all[id] = append(all[id], p)
		}
	}
	return all
}

// BagRule says how bags are reduced.
type BagRule struct {
	Policy
	Reduction Reduction // Add, Mean or Max
	Default   int       // the row that is an empty bag's result, or -1
}

// Bag reduces the rows of each bag. Weights are nil for ones, or one for each position.
func Bag[T any](table Array[T], indices Array[int64], bags [][]int, weights []T, rule BagRule, arith Arith[T]) (Array[T], *BadIndex) {
	picked, bad := pickRows(table, indices, rule.Policy)
	if bad != nil {
		return Array[T]{}, bad
	}
	out := New[T](join([]int{len(bags)}, table.Shape[1:])...)
	for b := range bags {
		counted := count(bags[b], picked)
		for c := range Coordinates(table.Shape[1:]) {
			out.Set(reduceBag(table, picked, counted, weights, rule, arith, c), join([]int{b}, c)...)
		}
	}
	return out, nil
}

func reduceBag[T any](table Array[T], picked, counted []int, weights []T, rule BagRule, arith Arith[T], c []int) T {
	if len(counted) == 0 {
		if rule.Default >= 0 {
			return table.At(join([]int{rule.Default}, c)...)
		}
		return arith.Zero
	}
	values := make([]T, len(counted))
	for i, p := range counted {
		values[i] = table.At(join(picked[p:p+1], c)...)
	}
	if rule.Reduction == Max {
		y := values[0]
		for _, x := range values[1:] {
			y = arith.Max(y, x)
		}
		return y
	}
	if rule.Reduction == Mean && arith.Div == nil {
		return arith.Mean(values) // of integers: exact
	}
	sum := arith.Zero
	for i, x := range values {
		if weights != nil {
			x = arith.Mul(weights[counted[i]], x)
		}
		sum = arith.Add(sum, x)
	}
	if rule.Reduction == Mean {
		return arith.Div(sum, len(values))
	}
	return sum
}

// AddBag returns dst plus the gradient of the table, given that of the result. All shares are added in order of the positions.
func AddBag[T any](dst, grad, table Array[T], indices Array[int64], bags [][]int, weights []T, rule BagRule, arith Arith[T]) (Array[T], *BadIndex) {
	picked, bad := pickRows(dst, indices, rule.Policy)
	if bad != nil {
		return Array[T]{}, bad
	}
	out := dst.Clone()
	add := func(row int, c []int, x T) {
		at := join([]int{row}, c)
		out.Set(arith.Add(out.At(at...), x), at...)
	}
	for b := range bags {
		counted := count(bags[b], picked)
		for c := range Coordinates(dst.Shape[1:]) {
			g := grad.At(join([]int{b}, c)...)
			if len(counted) == 0 && rule.Default >= 0 {
				add(rule.Default, c, g)
			}
			var greatest T
			ties := 0
			if rule.Reduction == Max && len(counted) > 0 {
				greatest = reduceBag(table, picked, counted, nil, rule, arith, c)
				for _, p := range counted {
					if arith.Same(table.At(join(picked[p:p+1], c)...), greatest) {
						ties++
					}
				}
			}
			for _, p := range counted {
				share := g
				switch {
				case rule.Reduction == Mean:
					share = arith.Div(g, len(counted))
				case rule.Reduction == Max:
					if !arith.Same(table.At(join(picked[p:p+1], c)...), greatest) {
						continue
					}
					share = arith.Div(g, ties)
				case weights != nil && arith.Conj != nil:
					share = arith.Mul(arith.Conj(weights[p]), g)
				case weights != nil:
					share = arith.Mul(weights[p], g)
				}
				add(picked[p], c, share)
			}
		}
	}
	return out, nil
}

// count are the positions that picked a row.
func count(positions, picked []int) []int {
	var list []int
	for _, p := range positions {
		if picked[p] != dropped {
			list = append(list, p)
		}
	}
	return list
}

// pickRows are the rows that the positions pick, in row-major order of the indices. Positions that are in no bag are checked,
// too.
func pickRows[T any](table Array[T], indices Array[int64], policy Policy) ([]int, *BadIndex) {
	resolved, bad := resolve(indices, table.Shape, false, func([]int) int { return 0 }, policy)
	return resolved.Data, bad
}
