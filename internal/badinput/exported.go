package badinput

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// Exported lists the functions that the package in a folder exports, and the
// exported methods of its exported types, the latter as Type.Method.
func Exported(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			if f.Recv == nil {
				names = append(names, f.Name.Name)
			} else if of := receiver(f.Recv.List[0].Type); ast.IsExported(of) {
				names = append(names, of+"."+f.Name.Name)
			}
		}
	}
	sort.Strings(names)
	return names
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// Calls runs the calls of a package's exported functions with bad arguments, and
// demands that there are calls of each.
func Calls(t *testing.T, folder string, calls map[string]func(t *testing.T)) {
	t.Helper()
	exported := Exported(t, folder)
	if len(exported) == 0 {
		t.Error("no exported function was found")
	}
	for _, name := range exported {
		call, ok := calls[name]
		if !ok {
			t.Errorf("%s is not called with bad arguments: add it to the table", name)
			continue
		}
		t.Run(name, call)
		delete(calls, name)
	}
	for name := range calls {
		t.Errorf("%s is called with bad arguments, but does not exist", name)
	}
}
