package embedding_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
)

// FuzzTraining trains what the numbers of a seed make: see TestTraining.
func FuzzTraining(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		train[float32](t, seed)
		train[float64](t, seed)
	})
}

// FuzzBags sets bags of any ids and offsets: what is wrong is refused and changes
// nothing, all else is what the rows say.
func FuzzBags(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add([]byte{1, 2, 3, 4, 250, 9}, []byte{0, 2, 6})
	f.Add([]byte{1, 2, 3}, []byte{3, 2})
	f.Add([]byte{0, 0, 1}, []byte{0, 0, 0, 255})
	f.Fuzz(func(t *testing.T, ids, offsets []byte) {
		if len(offsets) == 0 || len(offsets) > 50 {
			return
		}
		const rows, inner = 5, 3
		rng := rand.New(rand.NewPCG(uint64(len(ids)), 1))
		plain := newPlainTable(draw[float64](rng, rows*inner), rows, inner, 0)
		table, err := embedding.New(matrix(rows, inner, flat(plain.w)...), embedding.WithPadding(3))
		ok(t, err)
		mode := embedding.Mode(len(ids) % 3)
		bags, err := table.Bag(G.NewGraph(), "bags", len(offsets), mode)
		ok(t, err)
		small := func(b byte) int64 { return int64(int8(b)) }
		sound := true
		wide, at, picked := make([]int64, len(ids)), make([]int64, len(offsets)), make([]int, len(ids))
		for i, b := range ids {
			wide[i] = small(b) % 7
			picked[i] = int(wide[i])
			sound = sound && -rows <= wide[i] && wide[i] < rows
			switch {
			case wide[i] == 3:
				picked[i] = -1
			case wide[i] < 0:
				picked[i] += rows
			}
		}
		for i, b := range offsets {
			at[i] = small(b)
			sound = sound && at[i] >= 0 && at[i] <= int64(len(ids)) && (i == 0 || at[i] >= at[i-1])
		}
		before := slices.Clone(bags.Node().Value().Data().([]float64))
		err = bags.SetBags(idTensor(rng, wide, len(wide)), idTensor(rng, at, len(at)), nil)
		if sound != (err == nil) {
			t.Fatalf("ids %v, offsets %v: error %v", wide, at, err)
		}
		want := before
		if sound {
			want = nil
			for i := range at {
				end := int64(len(ids))
				if i+1 < len(at) {
					end = at[i+1]
				}
				out, _ := plainBag(plain, mode, picked[at[i]:end], nil, inner)
				want = append(want, out...)
			}
		}
		same(t, "bags", bags.Node().Value().Data(), want)
	})
}
