package gather_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather"
)

// TestDocumentedFields holds the fields that texts list against the type, an alias,
// of which go doc shows none.
func TestDocumentedFields(t *testing.T) {
	var want []string
	for i := range reflect.TypeFor[gather.IndexError]().NumField() {
		f := reflect.TypeFor[gather.IndexError]().Field(i)
		want = append(want, f.Name+" "+f.Type.String())
	}
	for name, folder := range map[string]string{"gather": ".", "dense": "dense"} {
		var got []string
		for _, line := range strings.Split(typeOf(t, name, folder, "IndexError").Doc, "\n") {
			if field, _, listed := strings.Cut(line, " // "); listed {
				got = append(got, strings.Join(strings.Fields(field), " "))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s.IndexError lists the fields %q, it has %q", name, got, want)
		}
	}
}

// TestDocumentedValues wants go doc to show what an option's type can be beside it.
func TestDocumentedValues(t *testing.T) {
	for name, want := range map[string][]string{
		"Reduction":  {"None", "Add", "Sub", "Mul", "Min", "Max", "Mean", "SqrtN"},
		"OutOfRange": {"Reject", "ZeroFill", "Clamp", "Skip"},
	} {
		var got []string
		for _, group := range typeOf(t, "gather", ".", name).Consts {
			got = append(got, group.Names...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("beside %s stand %q, not %q", name, got, want)
		}
	}
}

// typeOf is a type of a package as go doc has it.
func typeOf(t *testing.T, name, folder, wanted string) *doc.Type {
	t.Helper()
	set := token.NewFileSet()
	packages, err := parser.ParseDir(set, folder, func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, parser.ParseComments)
	ok(t, err)
	var files []*ast.File
	for _, f := range packages[name].Files {
		files = append(files, f)
	}
	all, err := doc.NewFromFiles(set, files, "gorgonia.org/gather/"+folder)
	ok(t, err)
	i := slices.IndexFunc(all.Types, func(d *doc.Type) bool { return d.Name == wanted })
	if i < 0 {
		t.Fatalf("package %s has no type %s", name, wanted)
	}
	return all.Types[i]
}

// TestReadme demands that the lines of each Go block of README.md and docs stand
// in one Example function, in the quickstart, in bigtable or in text, in that order: what they show
// compiles, and its output is what comes out.
func TestReadme(t *testing.T) {
	var examples []string
	for _, name := range []string{"quickstart", "bigtable", "text"} {
		program, err := os.ReadFile("examples/" + name + "/main.go")
		ok(t, err)
		examples = append(examples, string(program))
	}
	for _, pattern := range []string{"example*_test.go", "*/example*_test.go"} {
		files, err := filepath.Glob(pattern)
		ok(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			ok(t, err)
			examples = append(examples, strings.Split(string(text), "\nfunc Example")[1:]...)
		}
	}
	documents, err := filepath.Glob("docs/*.md")
	ok(t, err)
	for _, document := range append(documents, "README.md") {
		text, err := os.ReadFile(document)
		ok(t, err)
		for _, block := range strings.Split(string(text), "```go\n")[1:] {
			block, _, _ = strings.Cut(block, "```")
			shown := false
			for _, example := range examples {
				shown = shown || inOrder(strings.Split(block, "\n"), strings.Split(example, "\n"))
			}
			if !shown {
				t.Errorf("%s: no Example function has these lines:\n%s", document, block)
			}
		}
	}
}

// inOrder tells whether all lines stand in the text in their order, leaving out
// blank lines and indentation.
func inOrder(lines, text []string) bool {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		at := 0
		for at < len(text) && strings.TrimSpace(text[at]) != line {
			at++
		}
		if at == len(text) {
			return false
		}
		text = text[at+1:]
	}
	return true
}
