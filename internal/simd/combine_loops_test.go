package simd

import (
	"os/exec"
	"regexp"
	"testing"
)

// TestCombineIsInlined asks the compiler whether every instance of the functions that
// the loops of reductions are made of is inlined.
func TestCombineIsInlined(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	out, err := exec.Command(goTool, "build", "-gcflags=-m=2", ".", "../num").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"combine", "combineComplex", "keeps", "inOrder", "fromOrder", "computes", "Float16To32", "Float16From32", "BFloat16To32", "BFloat16From32"} {
		if !regexp.MustCompile(`can inline ` + name + `[\[ ]`).Match(out) {
			t.Errorf("%s: the compiler says nothing of it", name)
		}
		if why := regexp.MustCompile(`cannot inline ` + name + `[\[:].*`).Find(out); why != nil {
			t.Errorf("%s", why)
		}
	}
}
