package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// table is what is printed: cells under a head, in plain text or Markdown.
type table struct {
	title string
	head  []string
	rows  [][]string
}

// tables makes those of a report: the means, one a group, and where a peer is
// ahead.
func (r *Report) tables() []table {
	all := []table{r.meanTable()}
	for _, g := range groups {
		switch {
		case len(r.names(g)) == 0:
		case g == Rows:
			all = append(all, r.rowTable())
		case g == Steps:
			all = append(all, r.stepTable())
		default:
			all = append(all, r.groupTable(g))
		}
	}
	all = append(all, r.behindTable())
	if t := r.noasmTable(); len(t.rows) > 0 {
		all = append(all, t)
	}
	return all
}

// groupTable has the medians, those for 1 and 2 threads in one cell.
func (r *Report) groupTable(group string) table {
	names := r.names(group)
	t := table{title: group + ", µs", head: slices.Concat(
		[]string{"case", "data", "indices"}, names,
		[]string{"best peer / " + Ours, ONNXRuntime + " / " + Ours},
	)}
	for _, at := range r.cases(group) {
		row := []string{at[0].Name, shapeText(at[0].Data), shapeText(at[0].Indices)}
		for _, name := range names {
			row = append(row, r.times(at, name))
		}
		row = append(row,
			ratioCell(at),
			cell(at, "%.2f", func(x Result) (float64, bool) { return x.ratioTo(ONNXRuntime) }))
		t.rows = append(t.rows, row)
	}
	return t
}

// rowTable has shares of memcpy's bandwidth.
func (r *Report) rowTable() table {
	names := r.names(Rows)
	t := table{
		title: Rows + ": a table of 512 MB, 32 MB looked up, share of memcpy's bandwidth",
		head:  []string{"row", Memcpy + ", GB/s"},
	}
	for _, name := range names {
		if name != Memcpy {
			t.head = append(t.head, name)
		}
	}
	for _, at := range r.cases(Rows) {
		row := []string{byteText(4 * at[0].Data[1]), cell(at, "%.1f", func(x Result) (float64, bool) {
			us, ok := x.time(Memcpy)
			return float64(x.Bytes) / us / 1000, ok
		})}
		for _, name := range names {
			if name != Memcpy {
				row = append(row, cell(at, "%.0f %%", func(x Result) (float64, bool) {
					s, ok := x.share(name)
					return 100 * s, ok
				}))
			}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// noasmTable says what the assembly brings.
func (r *Report) noasmTable() table {
	t := table{title: "with and without assembly", head: []string{"case", "speed without / with"}}
	for _, g := range groups {
		for _, at := range r.cases(g) {
			text := cell(at, "%.2f", func(x Result) (float64, bool) {
				ratio, ok := x.ratioTo(OursNoasm)
				return 1 / ratio, ok
			})
			if strings.Trim(text, "- /") != "" {
				t.rows = append(t.rows, []string{at[0].Name, text})
			}
		}
	}
	return t
}

// cases are the results of a group, those of one case together.
func (r *Report) cases(group string) [][]Result {
	var all [][]Result
	at := map[string]int{}
	for _, x := range r.Results {
		if x.Group != group {
			continue
		}
		i, ok := at[x.Name]
		if !ok {
			i = len(all)
			at[x.Name] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], x)
	}
	return all
}

// times are the medians of a runner, or why there are none.
func (r *Report) times(at []Result, runner string) string {
	var some []string
	for _, x := range at {
		us, ok := x.time(runner)
		switch {
		case ok:
			some = append(some, microseconds(us))
		case x.missing(runner) == errWrong.Error():
			some = append(some, "wrong")
		default:
			some = append(some, "-")
		}
	}
	return joined(some)
}

// cell is a value at each number of threads, "-" where there is none.
func cell(at []Result, format string, value func(Result) (float64, bool)) string {
	var some []string
	for _, x := range at {
		if v, ok := value(x); ok {
			some = append(some, fmt.Sprintf(format, v))
		} else {
			some = append(some, "-")
		}
	}
	return joined(some)
}

// ratioCell are the ratios to the fastest peer with their marks.
func ratioCell(at []Result) string {
	var some []string
	for _, x := range at {
		text := "-"
		if ratio, ok := x.ratioToBest(); ok {
			text = strings.TrimSpace(fmt.Sprintf("%.2f %s", ratio, x.mark()))
		}
		some = append(some, text)
	}
	return joined(some)
}

// joined says a text once that would stand there twice.
func joined(some []string) string {
	if len(slices.Compact(slices.Clone(some))) == 1 && strings.Trim(some[0], "0123456789.% "+slower+level) != "" {
		return some[0]
	}
	return strings.Join(some, " / ")
}

// microseconds keeps two digits or more.
func microseconds(us float64) string {
	switch {
	case us >= 10:
		return fmt.Sprintf("%.0f", us)
	case us >= 1:
		return fmt.Sprintf("%.1f", us)
	}
	return fmt.Sprintf("%.2f", us)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// text writes the table with aligned columns, numbers to the right.
func (t table) text(w io.Writer) {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, s := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(s))
		}
	}
	fmt.Fprintf(w, "\n%s\n", capital(t.title))
	for _, row := range append([][]string{t.head}, t.rows...) {
		line := ""
		for i, s := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(s))
			if i == 0 {
				line += s + space
			} else {
				line += "  " + space + s
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// markdown writes it for a README.
func (t table) markdown(w io.Writer) {
	fmt.Fprintf(w, "\n%s:\n\n| %s |\n|---%s|\n", capital(t.title),
		strings.Join(t.head, " | "), strings.Repeat("|---:", len(t.head)-1))
	for _, row := range t.rows {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
	}
}

// print writes all of a report.
func (r *Report) print(w io.Writer, markdown bool) {
	fmt.Fprintf(w, "%s, on %s.\n", r.Machine, r.Machine.Date)
	fmt.Fprintf(w, "Assembly: %s. %s.\n", r.Machine.Build, r.versions())
	threads := strings.ReplaceAll(strings.Trim(fmt.Sprint(r.threads()), "[]"), " ", " / ")
	fmt.Fprintf(w, "Medians of %d samples, with %s threads.\n", r.Rounds, threads)
	for _, t := range r.tables() {
		if markdown {
			t.markdown(w)
		} else {
			t.text(w)
		}
	}
}

func (r *Report) versions() string {
	var some []string
	for _, name := range runnerOrder {
		if v := r.Machine.Versions[name]; v != "" {
			some = append(some, name+" "+v)
		}
	}
	return strings.Join(some, ", ")
}
