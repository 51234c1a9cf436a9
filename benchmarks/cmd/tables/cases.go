package main

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// Case is a step to be measured.
type Case struct {
	Group     string `json:"group"`
	Model     bool   `json:"model"` // bags, their mean, a linear layer and the squared error; else the table part alone
	Optimizer string `json:"optimizer"`
	Rows      int    `json:"rows"`
	Dim       int    `json:"dim"`
	IDs       int    `json:"ids"`
	Zipf      bool   `json:"zipf"`
	Threads   int    `json:"threads"`
}

// String names the case.
func (c Case) String() string {
	what, spread := "table", "uniform"
	if c.Model {
		what = "model"
	}
	if c.Zipf {
		spread = "Zipf"
	}
	return fmt.Sprintf("%s, %s, %s, %d rows of %d, %d ids, %s, threads %d", c.Group, what, c.Optimizer, c.Rows, c.Dim, c.IDs, spread, c.Threads)
}

// The model of the group of that name, as many others have it: bags of so many ids,
// and so many results of the linear layer.
const (
	bagSize = 16
	outputs = 32
)

// sets is how many sets of ids take turns: with one the rows would stay in the
// cache.
const sets = 16

var optimizers = []string{"SGD", "Adagrad", "RowWiseAdagrad", "Adam"}

// allCases are the cases for one thread.
func allCases() (all []Case) {
	both := func(c Case) {
		for _, zipf := range []bool{false, true} {
			c.Zipf = zipf
			all = append(all, c)
		}
	}
	for _, rows := range []int{1e4, 1e5, 1e6} {
		for _, o := range optimizers {
			both(Case{Group: "rows", Optimizer: o, Rows: rows, Dim: 64, IDs: 4096})
		}
	}
	for _, o := range optimizers {
		both(Case{Group: "large", Optimizer: o, Rows: 1e7, Dim: 64, IDs: 4096})
	}
	for _, ids := range []int{256, 65536} {
		for _, o := range optimizers {
			both(Case{Group: "ids", Optimizer: o, Rows: 1e6, Dim: 64, IDs: ids})
		}
	}
	for _, dim := range []int{16, 128, 256} {
		for _, o := range optimizers {
			both(Case{Group: "columns", Optimizer: o, Rows: 1e5, Dim: dim, IDs: 4096})
		}
	}
	for _, rows := range []int{1e5, 1e6} {
		for _, o := range optimizers {
			all = append(all, Case{Group: "models", Model: true, Optimizer: o, Rows: rows, Dim: 64, IDs: 256 * bagSize})
		}
	}
	return all
}

func groupNames() (names []string) {
	for _, c := range allCases() {
		if !slices.Contains(names, c.Group) {
			names = append(names, c.Group)
		}
	}
	return names
}

// choose is the cases of some groups with some text in their names.
func choose(groups, part, threads string) ([]Case, error) {
	wanted := groupNames()
	if groups != "" {
		for _, g := range strings.Split(groups, ",") {
			if !slices.Contains(wanted, g) {
				return nil, errors.Errorf("flag -group: there is no group %q, only %s", g, strings.Join(wanted, ", "))
			}
		}
		wanted = strings.Split(groups, ",")
	}
	var chosen []Case
	for _, n := range strings.Split(threads, ",") {
		count, err := strconv.Atoi(n)
		if err != nil || count < 1 {
			return nil, errors.Errorf("flag -threads: %q is no number of threads", n)
		}
		for _, c := range allCases() {
			if c.Threads = count; slices.Contains(wanted, c.Group) && strings.Contains(c.String(), part) {
				chosen = append(chosen, c)
			}
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("no case is of these groups and has this in its name")
	}
	return chosen, nil
}

// ids draws the sets of ids, one after the other.
func (c Case) ids() []int64 {
	rng := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(rng, 1.1, 1, uint64(c.Rows-1))
	all := make([]int64, sets*c.IDs)
	for i := range all {
		if !c.Zipf {
			all[i] = rng.Int63n(int64(c.Rows))
			continue
		}
		// The frequent rows are not next to each other.
		all[i] = int64(zipf.Uint64() * 7_368_787 % uint64(c.Rows))
	}
	return all
}
