package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// Selections of cases that are no groups.
const (
	Published = "published" // the 37 cases that were published first
	Wider     = "wider"     // the cases with [Case.Wider]
)

// in tells whether a case is of a group or a selection.
func (c Case) in(name string) bool {
	switch name {
	case "":
		return true
	case Published:
		return slices.Contains(publishedGroups, c.Group)
	case Wider:
		return c.Wider
	}
	return c.Group == name
}

// selected are the cases of the groups named, with commas between, whose name
// contains match.
func selected(names, match string) ([]Case, error) {
	var wanted []string
	if names != "" {
		wanted = strings.Split(names, ",")
	}
	for _, name := range wanted {
		if name != Published && name != Wider && !slices.Contains(groups, name) {
			return nil, errors.Errorf("-group %s: the groups are %s, %s and %s", name, strings.Join(groups, ", "), Published, Wider)
		}
	}
	var some []Case
	for _, c := range cases() {
		in := func(name string) bool { return c.in(name) }
		if (len(wanted) == 0 || slices.ContainsFunc(wanted, in)) && strings.Contains(c.Group+": "+c.Name, match) {
			some = append(some, c)
		}
	}
	if len(some) == 0 {
		return nil, errors.Errorf("-case %s: no case has that in its name, see -list", match)
	}
	return some, nil
}

// list prints the names of cases.
func list(some []Case, w io.Writer) {
	for _, c := range some {
		mark := ""
		if c.Wider {
			mark = " (" + Wider + ")"
		}
		fmt.Fprintf(w, "%s: %s%s\n", c.Group, c.Name, mark)
	}
}
