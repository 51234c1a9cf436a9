package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// lost is how many times as long a case takes without a family to be listed.
const lost = 1.3

// listed is how many cases of a family are named.
const listed = 6

// code is the size of a family.
type code struct{ functions, lines int }

// assemblyLines counts the lines of each family in the generated files below the
// folder of the library's source. A function's lines are those from the comment before
// it to the next one's.
func assemblyLines(source string) (map[string]code, error) {
	files, err := filepath.Glob(filepath.Join(source, "internal", "*", "*_amd64.s"))
	if err != nil || len(files) == 0 {
		return nil, errors.Errorf("-source %s: no assembly in internal/*/*_amd64.s there", source)
	}
	patterns := map[string]*regexp.Regexp{}
	for _, f := range families() {
		patterns[f.Name] = regexp.MustCompile(f.Functions)
	}
	all := map[string]code{}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, errors.Wrap(err, "assembly")
		}
		_, functions, _ := strings.Cut(string(b), "// func ")
		for _, text := range strings.Split(functions, "// func ") {
			function, _, _ := strings.Cut(text, "(")
			for family, names := range patterns {
				if names.MatchString(function) {
					c := all[family]
					all[family] = code{c.functions + 1, c.lines + strings.Count(text, "\n")}
				}
			}
		}
	}
	return all, nil
}

// row is a family's line of the table.
func (w *without) row(family string, size code) []string {
	type loss struct {
		name  string
		ratio float64
	}
	var all float64 // of the logarithms; those of the cases without a loop of the family are 0
	var losses []loss
	served := 0
	for _, c := range w.Cases {
		us, ok := c.Without[family]
		if !ok {
			continue
		}
		served++
		all += math.Log(us / c.Whole)
		if us > lost*c.Whole {
			losses = append(losses, loss{c.Group + ": " + c.Name, us / c.Whole})
		}
	}
	slices.SortStableFunc(losses, func(a, b loss) int { return cmp.Compare(b.ratio, a.ratio) })
	row := []string{family, fmt.Sprintf("%d, %d", size.functions, size.lines), fmt.Sprint(served), "", "", fmt.Sprint(len(losses)), "", ""}
	if served > 0 {
		row[3], row[4] = ratioText(all, len(w.Cases)), ratioText(all, served)
	}
	if len(losses) > 0 {
		row[6] = fmt.Sprint(size.lines / len(losses))
	}
	for i, l := range losses {
		if i == listed {
			row[7] += fmt.Sprintf("; %d more", len(losses)-listed)
			break
		}
		if i > 0 {
			row[7] += "; "
		}
		row[7] += fmt.Sprintf("%s %.2f", l.name, l.ratio)
	}
	return row
}

// ratioText is the geometric mean from a sum of logarithms.
func ratioText(sum float64, n int) string { return fmt.Sprintf("%.3f", math.Exp(sum/float64(n))) }

// print writes the table of the families.
func (w *without) print(out io.Writer, lines map[string]code, markdown bool) {
	t := table{title: "time without a family of assembly / with it", head: []string{
		"family", "functions, lines of .s", "cases served", "mean of all cases", "of those served",
		fmt.Sprintf("take more than %.1f", lost), "lines for each of these", "which",
	}}
	for _, family := range w.Families {
		t.rows = append(t.rows, w.row(family, lines[family]))
	}
	fmt.Fprintf(out, "%s, on %s.\n", w.Machine, w.Machine.Date)
	fmt.Fprintf(out, "Implementation: %s. Medians of %d samples of each of %d cases, with one thread. A family serves a case\n", w.Machine.Build, w.Rounds, len(w.Cases))
	fmt.Fprintf(out, "if a call of the case calls one of its loops. The means are geometric; of a case that a family does not serve\n")
	fmt.Fprintf(out, "the ratio is 1. Lines are those of all instruction sets that the family has functions for.\n")
	if markdown {
		t.markdown(out)
	} else {
		t.text(out)
	}
}
