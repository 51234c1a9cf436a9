package main

import "math"

// similarities are the cosines of all pairs.
func similarities(all []*sentence) [][]float64 {
	matrix := make([][]float64, len(all))
	for i, a := range all {
		matrix[i] = make([]float64, len(all))
		for j, b := range all[:i] {
			matrix[i][j] = cosine(a.vector, b.vector)
			matrix[j][i] = matrix[i][j]
		}
		matrix[i][i] = 1
	}
	return matrix
}

// likeNextToLike orders the rows of a matrix of similarities so that like ones are
// neighbours: the two groups that are most alike on average are joined, until there
// is one (average linkage), each time by those of their ends that are most alike.
func likeNextToLike(matrix [][]float64) []int {
	if len(matrix) == 0 {
		return nil
	}
	groups := make([][]int, len(matrix))
	between := make([][]float64, len(matrix)) // the mean similarity of two groups
	for i, row := range matrix {
		groups[i] = []int{i}
		between[i] = append([]float64{}, row...)
	}
	for range len(matrix) - 1 {
		a, b, best := -1, -1, math.Inf(-1)
		for i := range groups {
			for j := range i {
				if groups[i] != nil && groups[j] != nil && between[i][j] > best {
					a, b, best = j, i, between[i][j]
				}
			}
		}
		sizeA, sizeB := float64(len(groups[a])), float64(len(groups[b]))
		for k := range groups {
			between[a][k] = (sizeA*between[a][k] + sizeB*between[b][k]) / (sizeA + sizeB)
			between[k][a] = between[a][k]
		}
		groups[a], groups[b] = joined(groups[a], groups[b], matrix), nil
	}
	return groups[0] // a is the smaller index, so the last group is the first
}

// joined puts two groups in a row, each turned round if its other end is more like
// the group beside it.
func joined(a, b []int, matrix [][]float64) []int {
	best, turnA, turnB := math.Inf(-1), false, false
	for _, t := range [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}} {
		end, start := a[len(a)-1], b[0]
		if t[0] {
			end = a[0]
		}
		if t[1] {
			start = b[len(b)-1]
		}
		if matrix[end][start] > best {
			best, turnA, turnB = matrix[end][start], t[0], t[1]
		}
	}
	return append(turned(a, turnA), turned(b, turnB)...)
}

func turned(group []int, turn bool) []int {
	all := append([]int{}, group...)
	if turn {
		for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
			all[i], all[j] = all[j], all[i]
		}
	}
	return all
}
