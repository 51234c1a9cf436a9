package main

import (
	"bufio"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/simd"
)

// TestFamiliesOfFunctions demands one family for every function in assembly, but for
// Pause and Prefetch, which are instructions.
func TestFamiliesOfFunctions(t *testing.T) {
	files, err := filepath.Glob("../internal/*/*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("files of assembly: %v, %v", files, err)
	}
	found := map[string]int{}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			rest, ok := strings.CutPrefix(lines.Text(), "TEXT ·")
			if !ok {
				continue
			}
			function, _, _ := strings.Cut(rest, "(")
			var of []string
			for _, f := range families() {
				if regexp.MustCompile(f.Functions).MatchString(function) {
					of = append(of, f.Name)
					found[f.Name]++
				}
			}
			if len(of) != 1 && function != "Pause" && function != "Prefetch" {
				t.Errorf("%s is of the families %q, want one", function, of)
			}
		}
	}
	for _, f := range families() {
		if found[f.Name] == 0 {
			t.Errorf("%s: no function in assembly", f.Name)
		}
	}
}

// TestWithout demands that each family takes loops out of every implementation with
// assembly, that all of them together leave Go's alone, and that the implementation
// itself stays as it is.
func TestWithout(t *testing.T) {
	for _, i := range simd.Implementations[1:] {
		rest := i
		for _, f := range families() {
			before := places(f, i)
			c, err := withoutFamily(i, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			if reflect.DeepEqual(places(f, c), before) {
				t.Errorf("%s without %s has the same loops", i.Name, f.Name)
			}
			if !reflect.DeepEqual(places(f, c), places(f, simd.Go)) {
				t.Errorf("%s without %s has loops that are not Go's", i.Name, f.Name)
			}
			if !reflect.DeepEqual(places(f, i), before) {
				t.Errorf("%s has changed with its copy without %s", i.Name, f.Name)
			}
			if rest, err = withoutFamily(rest, f.Name); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range families() {
			if !reflect.DeepEqual(places(f, rest), places(f, simd.Go)) {
				t.Errorf("%s without all families: %s are not Go's", i.Name, f.Name)
			}
		}
	}
}

// places are where the loops of a family are in memory.
func places(f family, i *simd.Implementation) (all []uintptr) {
	var add func(v reflect.Value)
	add = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Func:
			all = append(all, v.Pointer())
		case reflect.Array:
			for n := range v.Len() {
				add(v.Index(n))
			}
		case reflect.Pointer:
			if !v.IsNil() {
				add(v.Elem())
			}
		}
	}
	for _, loop := range f.loops(i) {
		add(reflect.ValueOf(loop).Elem())
	}
	return all
}

func TestUnknownFamily(t *testing.T) {
	_, err := withoutFamily(simd.Go, "rows")
	if err == nil || !strings.Contains(err.Error(), `"rows" is no family`) || !strings.Contains(err.Error(), "rows copied, rows set") {
		t.Errorf("Without: %v", err)
	}
	if _, err = watchedFamily(simd.Go, "rows", func() {}); err == nil || !strings.Contains(err.Error(), "rows copied, rows set") {
		t.Errorf("Watched: %v", err)
	}
}
