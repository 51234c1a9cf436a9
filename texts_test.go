package gather_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// repository is the folder of all modules, with the names of its .md files.
func repository(t *testing.T) (root fs.FS, texts []string) {
	t.Helper()
	root = os.DirFS(".")
	if _, err := fs.Stat(root, "gonnx/go.mod"); err != nil {
		t.Skip("these are the files of one module, texts link to those of others")
	}
	ok(t, fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (base[0] == '.' || base[0] == '_' || base == "testdata" || base == "model"):
			return fs.SkipDir
		case path.Ext(name) == ".md":
			texts = append(texts, name)
		}
		return nil
	}))
	if len(texts) < 15 {
		t.Errorf("only %d texts were found: %q", len(texts), texts)
	}
	return root, texts
}

// TestLinks: what .md files link to is there, with its headings.
func TestLinks(t *testing.T) {
	root, texts := repository(t)
	for _, name := range texts {
		for _, fault := range linkFaults(root, name) {
			t.Errorf("%s %s", name, fault)
		}
	}
}

// TestPrograms: what .md files call by go run is there, with its flags.
func TestPrograms(t *testing.T) {
	root, texts := repository(t)
	for _, name := range texts {
		for _, fault := range programFaults(root, name) {
			t.Errorf("%s %s", name, fault)
		}
	}
}

// TestNamedFiles: CONTRIBUTING.md names files that are there.
func TestNamedFiles(t *testing.T) {
	root, _ := repository(t)
	for _, fault := range nameFaults(root, "CONTRIBUTING.md") {
		t.Errorf("CONTRIBUTING.md %s", fault)
	}
}

// TestFaultsOfTexts: what the tests above are there to find is found.
func TestFaultsOfTexts(t *testing.T) {
	root := fstest.MapFS{
		"go.mod":         {},
		"sub/go.mod":     {},
		"sub/cmd/x.go":   {Data: []byte("package main\nimport (\"flag\"; _ \"gorgonia.org/gather/flags\")\nvar _ = flag.Int(\"rows\", 1, \"\")")},
		"sub/lib/lib.go": {Data: []byte("package lib")},
		"flags/flags.go": {Data: []byte("package flags\nimport \"flag\"\nfunc F(f *flag.FlagSet) { f.StringVar(nil, \"out\", \"\", \"\") }")},
		"sub/other.md":   {Data: []byte("# A `b.C` is [it](x)\n# One\n# One\n```\n# Code\n```\n<a id=\"there\"></a>")},
		"links.md": {Data: []byte("[a](sub/other.md#a-bc-is-it) [b](sub/other.md#one-1) [c](#here) [d](https://e.f/#g) [h](sub/other.md#there) `[i](gone)`\n" +
			"# Here\n[1](gone.md) [2](#nowhere) [3](sub/other.md#code) ![4](<gone.png>) <img src=\"gone.svg\"> [5](sub/other.md#one-2)\n[6]: gone/\n")},
		"programs.md": {Data: []byte("    go run -C sub ./cmd -rows=3 -out x # -comment\n`go run\n-C sub ./cmd -help` `go run PROGRAM -any`\n" +
			"    go run ./cmd\n    go run -C sub ./lib\n    go run -C sub ./cmd -cols 3 && x -y\n`go run -C sub ./cmd -out x --deep`\n")},
		"sub/programs.md": {Data: []byte("    go run ./cmd -rows 1\n    go run -tags a ./cmd -none\n")},
		"names.md":        {Data: []byte("`flags/flags.go` `sub/*.md` `flags.go` `gone/gone.go` `sub/gone*.go` of `sub/lib`")},
	}
	for name, c := range map[string]struct {
		faults func(fs.FS, string) []string
		want   []string
	}{
		"links.md": {linkFaults, []string{"links to gone.md, which is not there", "links to #nowhere, but links.md has no such heading",
			"links to sub/other.md#code, but sub/other.md has no such heading", "links to gone.png, which is not there",
			"links to gone.svg, which is not there", "links to sub/other.md#one-2, but sub/other.md has no such heading", "links to gone/, which is not there"}},
		"programs.md": {programFaults, []string{"runs ./cmd, but cmd has no program", "runs ./lib, but sub/lib has no program",
			"runs ./cmd with -cols, which sub/cmd does not have", "runs ./cmd with --deep, which sub/cmd does not have"}},
		"sub/programs.md": {programFaults, []string{"runs ./cmd with -none, which sub/cmd does not have"}},
		"names.md":        {nameFaults, []string{"names gone/gone.go, which is not there", "names sub/gone*.go, which is not there"}},
	} {
		got := c.faults(root, name)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s has the faults\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

var (
	fences  = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	spans   = regexp.MustCompile("`[^`]+`")
	targets = regexp.MustCompile(`\]\(<?([^()<>\s]+)>?\)|(?:src|href)="([^"]+)"|(?m:^\[[^\]]+\]: +(\S+))`)
	heads   = regexp.MustCompile(`(?m)^#{1,6} +(.*?)[ #]*$`)
	linked  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	ids     = regexp.MustCompile(`(?:id|name)="([^"]+)"`)
	scheme  = regexp.MustCompile(`^[a-z]+:`)
)

// linkFaults are the links of a text that lead nowhere in this repository.
func linkFaults(root fs.FS, name string) (faults []string) {
	text := spans.ReplaceAllString(fences.ReplaceAllString(read(root, name), ""), "")
	for _, match := range targets.FindAllStringSubmatch(text, -1) {
		target := match[1] + match[2] + match[3]
		if scheme.MatchString(target) {
			continue
		}
		file, heading, anchored := strings.Cut(target, "#")
		to := name
		if file != "" {
			to = path.Join(path.Dir(name), file)
		}
		if _, err := fs.Stat(root, to); err != nil {
			faults = append(faults, fmt.Sprintf("links to %s, which is not there", target))
		} else if anchored && !slices.Contains(anchors(read(root, to)), heading) {
			faults = append(faults, fmt.Sprintf("links to %s, but %s has no such heading", target, to))
		}
	}
	return faults
}

// anchors are the names that GitHub gives to the headings of a text, and its own.
func anchors(text string) (names []string) {
	text = fences.ReplaceAllString(text, "")
	times := map[string]int{}
	for _, match := range heads.FindAllStringSubmatch(text, -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r):
				return unicode.ToLower(r)
			}
			return -1
		}, linked.ReplaceAllString(match[1], "$1"))
		if n := times[name]; n > 0 {
			names = append(names, fmt.Sprintf("%s-%d", name, n))
		} else {
			names = append(names, name)
		}
		times[name]++
	}
	for _, match := range ids.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}

var (
	runs        = regexp.MustCompile("`go run\\s([^`]+)`|(?m:^ *go run (.*))")
	placeholder = regexp.MustCompile(`^[A-Z]+$`)
)

// programFaults are the programs that a text runs and that are not there, and flags
// that they do not have. They are run in the folder of the text's module.
func programFaults(root fs.FS, name string) (faults []string) {
	module := path.Dir(name)
	for module != "." {
		if _, err := fs.Stat(root, path.Join(module, "go.mod")); err == nil {
			break
		}
		module = path.Dir(module)
	}
	type program struct {
		flags []string
		is    bool
	}
	known := map[string]program{} // of each folder
	for _, match := range runs.FindAllStringSubmatch(read(root, name), -1) {
		words, folder := strings.Fields(match[1]+match[2]), module
		for len(words) > 1 && words[0][0] == '-' { // flags of go run
			if words[0] == "-C" {
				folder = path.Join(module, words[1])
			}
			words = words[2:]
		}
		if len(words) == 0 || placeholder.MatchString(words[0]) {
			continue
		}
		folder = path.Join(folder, words[0])
		p, met := known[folder]
		if !met {
			p.flags, p.is = flagsOf(root, folder, map[string]bool{})
			known[folder] = p
		}
		if !p.is {
			faults = append(faults, fmt.Sprintf("runs %s, but %s has no program", words[0], folder))
			continue
		}
		for _, word := range words[1:] {
			if strings.ContainsAny(word[:1], "#&|>") { // a comment, or another command
				break
			}
			flag, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
			if word[0] == '-' && flag != "help" && !slices.Contains(p.flags, flag) {
				faults = append(faults, fmt.Sprintf("runs %s with %s, which %s does not have", words[0], word, folder))
			}
		}
	}
	return faults
}

// flagsOf are the names of the flags that a package defines, or one of this repository that it
// imports, and whether it is a program.
func flagsOf(root fs.FS, folder string, seen map[string]bool) (flags []string, isProgram bool) {
	if seen[folder] {
		return nil, false
	}
	seen[folder] = true
	names, _ := fs.Glob(root, path.Join(folder, "*.go"))
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, read(root, name), parser.ImportsOnly)
		if err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		isProgram = isProgram || file.Name.Name == "main"
		for _, spec := range file.Imports {
			switch imported, _ := strconv.Unquote(spec.Path.Value); {
			case imported == "flag":
				flags = append(flags, definedFlags(name, read(root, name))...)
			case strings.HasPrefix(imported, "gorgonia.org/gather/"):
				others, _ := flagsOf(root, strings.TrimPrefix(imported, "gorgonia.org/gather/"), seen)
				flags = append(flags, others...)
			}
		}
	}
	return flags, isProgram
}

// definedFlags are the names that calls of functions like flag.Int and flag.IntVar have.
func definedFlags(name, text string) (flags []string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
	if err != nil {
		return nil
	}
	kinds := []string{"Bool", "BoolFunc", "Duration", "Float64", "Func", "Int", "Int64", "String", "Text", "Uint", "Uint64", ""}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		function, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		kind, at := strings.TrimSuffix(function.Sel.Name, "Var"), 0
		if kind != function.Sel.Name {
			at = 1 // behind the variable
		}
		if slices.Contains(kinds, kind) && at < len(call.Args) {
			if literal, ok := call.Args[at].(*ast.BasicLit); ok && literal.Kind == token.STRING {
				name, _ := strconv.Unquote(literal.Value)
				flags = append(flags, name)
			}
		}
		return true
	})
	return flags
}

var paths = regexp.MustCompile("`([^`\\s]+/[^`\\s]+\\.[a-z]+)`")

// nameFaults are the files that a text names, by a path, and that are not there.
func nameFaults(root fs.FS, name string) (faults []string) {
	for _, match := range paths.FindAllStringSubmatch(fences.ReplaceAllString(read(root, name), ""), -1) {
		if files, err := fs.Glob(root, match[1]); err != nil || len(files) == 0 {
			faults = append(faults, fmt.Sprintf("names %s, which is not there", match[1]))
		}
	}
	return faults
}

func read(root fs.FS, name string) string {
	text, _ := fs.ReadFile(root, name) // one that is not there has nothing that is looked for
	return string(text)
}
