package picture

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// mostTicks is how many numbers fit below an axis.
const mostTicks = 10

// Ticks marks the multiples of a round step (1, 2 or 5 times a power of ten), and
// not more of them than can be read. plot's own choice has steps of 3 and marks
// without a number.
type Ticks struct {
	Whole bool // only whole numbers: there is no half an epoch
}

// Ticks returns the marks; see [plot.Ticker].
func (t Ticks) Ticks(least, most float64) []plot.Tick {
	if !(most > least) {
		return nil
	}
	power := int(math.Floor(math.Log10((most - least) / mostTicks)))
	if t.Whole {
		power = max(power, 0)
	}
	factor := 1.0
	for _, factor = range []float64{1, 2, 5, 10} {
		if (most-least)/(factor*math.Pow10(power)) <= mostTicks {
			break
		}
	}
	if factor == 10 {
		factor, power = 1, power+1
	}
	var ticks []plot.Tick
	step := factor * math.Pow10(power)
	for n := math.Ceil(least / step); n*step <= most; n++ {
		ticks = append(ticks, plot.Tick{Value: n * step, Label: strconv.FormatFloat(n*step, 'f', max(-power, 0), 64)})
	}
	return ticks
}
