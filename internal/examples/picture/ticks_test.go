package picture

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTicks(t *testing.T) {
	cases := []struct {
		name        string
		ticks       Ticks
		least, most float64
		want        string
	}{
		{"few epochs", Ticks{Whole: true}, 1, 3, "1 2 3"},
		{"one", Ticks{Whole: true}, 1, 2, "1 2"},
		{"twenty", Ticks{Whole: true}, 1, 20, "2 4 6 8 10 12 14 16 18 20"},
		{"episodes", Ticks{Whole: true}, 0, 121, "0 20 40 60 80 100 120"},
		{"many", Ticks{Whole: true}, 0, 600, "0 100 200 300 400 500 600"},
		{"very many", Ticks{Whole: true}, 1, 10_000, "1000 2000 3000 4000 5000 6000 7000 8000 9000 10000"},
		{"around zero", Ticks{}, -3.8, 1.4, "-3 -2 -1 0 1"},
		{"parts of one", Ticks{}, 2.43, 3.93, "2.6 2.8 3.0 3.2 3.4 3.6 3.8"},
		{"tiny", Ticks{}, 0.0012, 0.0019, "0.0012 0.0013 0.0014 0.0015 0.0016 0.0017 0.0018 0.0019"},
		{"steps of ten", Ticks{}, 0, 99, "0 10 20 30 40 50 60 70 80 90"},
		{"no range", Ticks{}, 1, 1, ""},
		{"large", Ticks{}, 0, 5e6, "0 500000 1000000 1500000 2000000 2500000 3000000 3500000 4000000 4500000 5000000"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var labels []string
			for _, tick := range c.ticks.Ticks(c.least, c.most) {
				labels = append(labels, tick.Label)
			}
			assert.Equal(t, c.want, strings.Join(labels, " "))
		})
	}
}
