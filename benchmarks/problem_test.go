package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func problem(t *testing.T, c Case) *Problem {
	if c.Sets == 0 {
		c.Sets = 3
	}
	p, err := newProblem(c)
	require.NoError(t, err)
	return p
}

func TestProblemIsTheSameAgain(t *testing.T) {
	c := smallCases(Gradient)[0]
	a, b := problem(t, c), problem(t, c)
	assert.Equal(t, a.data.Float32s(), b.data.Float32s())
	assert.Equal(t, a.updates.Float32s(), b.updates.Float32s())
	assert.Equal(t, a.indices[2].Int64s(), b.indices[2].Int64s())
	assert.NotEqual(t, a.indices[1].Int64s(), a.indices[2].Int64s())
}

// Data in any layout has the elements of its base, where layout.go says so.
func TestLayouts(t *testing.T) {
	for layout, at := range map[Layout]func(i, j int) int{
		"":          func(i, j int) int { return 5*i + j },
		Transposed:  func(i, j int) int { return 3*j + i },
		ColumnMajor: func(i, j int) int { return 3*j + i },
		Gaps:        func(i, j int) int { return 10*i + 2 + j },
	} {
		t.Run(string(layout), func(t *testing.T) {
			p := problem(t, Case{Name: "layout", Op: "Gather", Mode: Read, Layout: layout, Data: []int{3, 5}, Indices: []int{2}})
			k := p.kind()
			fresh, err := p.freshData()
			require.NoError(t, err)
			for _, d := range []Values{valuesOf(k, p.data), valuesOf(k, fresh)} {
				require.Len(t, d.memory, 4*15)
				for i := range 3 {
					for j := range 5 {
						assert.Equal(t, k.float(p.memory[4*at(i, j):]), k.float(d.memory[4*(5*i+j):]), "[%d %d]", i, j)
					}
				}
			}
			want, err := p.data.At(2, 1)
			require.NoError(t, err)
			assert.Equal(t, float64(want.(float32)), k.float(p.memory[4*at(2, 1):]))
		})
	}
}

func TestDistinct(t *testing.T) {
	different := func(t *testing.T, values []int64, stride int) {
		seen := map[int64]bool{}
		for i := 0; i < len(values); i += stride {
			assert.False(t, seen[values[i]], "%d twice", values[i])
			seen[values[i]] = true
		}
	}
	t.Run("rows", func(t *testing.T) {
		p := problem(t, Case{Op: "ScatterND", Mode: Copy, Distinct: true, Data: []int{20, 3}, Indices: []int{15, 1}})
		different(t, p.indices[0].Int64s(), 1)
	})
	t.Run("lines", func(t *testing.T) {
		for axis, stride := range []int{4, 1} {
			p := problem(t, Case{Op: "ScatterElements", Mode: Copy, Distinct: true, Data: []int{5, 4}, Indices: []int{5, 4}, Axis: axis})
			values := p.indices[1].Int64s()
			lines := len(values) / p.Data[axis]
			for line := range lines {
				first, n := line*4, 4
				if axis == 0 {
					first, n = line, 20-line
				}
				different(t, values[first:first+n], stride)
			}
		}
	})
}

func TestKinds(t *testing.T) {
	for name, k := range kinds {
		if name == String {
			continue
		}
		t.Run(string(name), func(t *testing.T) {
			b := make([]byte, k.width)
			k.put(b, 0.75)
			want := 0.75
			if k.tolerance == 0 {
				want = 75
			}
			assert.Equal(t, want, k.float(b))
			assert.Equal(t, k.width, int(k.of.Size()))
			p := problem(t, Case{Op: "Gather", Mode: Read, Dtype: name, Data: []int{4}, Indices: []int{2}})
			assert.Equal(t, k.of, p.data.Dtype())
		})
	}
}

func TestAgree(t *testing.T) {
	of := func(d Dtype, values ...float64) Values {
		v := Values{kind: kinds[d]}
		for _, x := range values {
			b := make([]byte, v.kind.width)
			v.kind.put(b, x)
			v.memory = append(v.memory, b...)
		}
		return v
	}
	assert.True(t, agree(of(Float32, 1, 1e6), of(Float32, 1.00001, 1e6+1)), "rounding")
	assert.False(t, agree(of(Float32, 1, 2), of(Float32, 1, 2.01)))
	assert.False(t, agree(of(Float32, 1), of(Float32, 1, 2)), "another length")
	assert.False(t, agree(of(Float32, math.NaN()), of(Float32, 1)), "NaN")
	assert.False(t, agree(of(Float64, 1), of(Float64, 1+1e-7)), "computed in float32")
	assert.True(t, agree(of(Float16, 1), of(Float16, 1.001)))
	assert.False(t, agree(of(Int8, 0.5), of(Int8, 0.51)))
	assert.True(t, agree(Values{strings: []string{"a"}}, Values{strings: []string{"a"}}))
	assert.False(t, agree(Values{strings: []string{"a"}}, Values{strings: []string{"b"}}))
}

func TestWords(t *testing.T) {
	some := words(rand.New(rand.NewPCG(1, 2)), 1000)
	shortest, longest := math.MaxInt, 0
	for _, w := range some {
		shortest, longest = min(shortest, len(w)), max(longest, len(w))
	}
	assert.Less(t, shortest, 12)
	assert.Greater(t, longest, 16, "C++ keeps up to 15 bytes in the string itself")
}
