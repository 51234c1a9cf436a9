package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/pkg/errors"
)

// report is a run.
type report struct {
	Machine  string            `json:"machine"`
	Versions map[string]string `json:"versions"`
	Results  []result          `json:"results"`
}

// readReports puts the parts of a run together.
func readReports(files []string) (*report, error) {
	var all report
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, errors.WithStack(err)
		}
		part := report{}
		if err := json.Unmarshal(b, &part); err != nil {
			return nil, errors.Wrap(err, file)
		}
		if all.Machine == "" {
			all.Machine, all.Versions = part.Machine, part.Versions
		}
		all.Results = append(all.Results, part.Results...)
	}
	return &all, nil
}

// text is the times of a result, in microseconds.
func (r *result) text() string {
	s := ""
	for _, name := range []string{gather, noasm, pyTorch} {
		if t, ok := r.Seconds[name]; ok {
			s += fmt.Sprintf(" %s %.0f µs", name, 1e6*t)
		}
	}
	if ratio := r.ratio(gather); ratio > 0 {
		s += fmt.Sprintf(", %.2f times as fast as PyTorch", ratio)
	}
	if ratio := r.ratio(noasm); ratio > 0 {
		s += fmt.Sprintf(", %.2f without assembly", ratio)
	}
	return s
}

// ratio is PyTorch's time by that of a runner, or 0.
func (r *result) ratio(name string) float64 {
	t, ok := r.Seconds[name]
	if peer, has := r.Seconds[pyTorch]; has && ok {
		return peer / t
	}
	return 0
}

// write writes what there are names of files for, and the tables to standard output.
func (r *report) write(jsonFile, markdown, svg string) error {
	if jsonFile != "" {
		b, err := json.MarshalIndent(r, "", "\t")
		if err != nil {
			return errors.WithStack(err)
		}
		if err := os.WriteFile(jsonFile, append(b, '\n'), 0o644); err != nil {
			return errors.WithStack(err)
		}
	}
	if svg != "" {
		if err := drawRows(r, svg); err != nil {
			return err
		}
	}
	if markdown == "" {
		r.tables(os.Stdout)
		return nil
	}
	var text strings.Builder
	r.tables(&text)
	return errors.WithStack(os.WriteFile(markdown, []byte(text.String()), 0o644))
}

// tables writes a table for each group.
func (r *report) tables(w io.Writer) {
	fmt.Fprintf(w, "%s, %s, PyTorch %s\n", r.Machine, r.Versions["Go"], r.Versions[pyTorch])
	for _, g := range groupNames() {
		head := false
		for _, one := range r.Results {
			if one.Case.Group != g {
				continue
			}
			if !head {
				head = true
				fmt.Fprintf(w, "\n**%s**, µs a step\n\n| step | threads | gather | without assembly | PyTorch | PyTorch / gather | PyTorch / without assembly |\n|---|---|---|---|---|---|---|\n", g)
			}
			name, _, _ := strings.Cut(strings.TrimPrefix(one.Case.String(), g+", "), ", threads")
			fmt.Fprintf(w, "| %s | %d |%s%s%s%s%s\n", name, one.Case.Threads, cell("%.0f", 1e6*one.Seconds[gather]), cell("%.0f", 1e6*one.Seconds[noasm]),
				cell("%.0f", 1e6*one.Seconds[pyTorch]), cell("%.1f", one.ratio(gather)), cell("%.1f", one.ratio(noasm)))
		}
	}
	if mean, n := r.threads(); n > 0 {
		fmt.Fprintf(w, "\nTwo threads are %.2f times as fast as one, the geometric mean of %d steps.\n", mean, n)
	}
}

// cell is a number, or nothing.
func cell(format string, x float64) string {
	if x == 0 {
		return " |"
	}
	return " " + fmt.Sprintf(format, x) + " |"
}

// threads is how many times as fast two threads are as one, as a geometric mean.
func (r *report) threads() (mean float64, n int) {
	one := map[Case]float64{}
	for _, x := range r.Results {
		if x.Case.Threads == 1 {
			one[x.Case] = x.Seconds[gather]
		}
	}
	sum := 0.0
	for _, x := range r.Results {
		c := x.Case
		if c.Threads = 1; x.Case.Threads == 2 && one[c] > 0 {
			sum += math.Log(one[c] / x.Seconds[gather])
			n++
		}
	}
	return math.Exp(sum / float64(max(1, n))), n
}
