package embedding_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// changedKiB is how much of a file that is mapped has to be written, as the system says.
func changedKiB(t *testing.T, path string) (sum int) {
	t.Helper()
	maps, err := os.Open("/proc/self/smaps")
	ok(t, err)
	defer maps.Close()
	of := false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		line := lines.Text()
		name, value, _ := strings.Cut(line, ":")
		switch {
		case strings.Contains(name, "-"): // the first line of a mapping
			of = strings.HasSuffix(line, path)
		case of && strings.HasSuffix(name, "_Dirty"):
			var n int
			if _, err := fmt.Sscan(value, &n); err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}

// TestStepsChangeTheirPages: after a step the system has the pages of its rows to write, and
// not all that lies around them.
func TestStepsChangeTheirPages(t *testing.T) {
	const rows, dim, n = 1 << 17, 64, 32
	path := filepath.Join(t.TempDir(), "items.npy")
	table, err := embedding.Create(path, tensor.Float32, rows, dim, embedding.Uniform(1, 1, 2))
	ok(t, err)
	defer table.Close()
	if changedKiB(t, path) > 0 {
		t.Skip("this system writes files in another way")
	}
	ids := make([]int, n)
	for i := range ids {
		ids[i] = i * (rows / n)
	}
	kib := 0
	for k := 0; k < 5 && kib == 0; k++ { // somebody may have the system write just now
		ok(t, makers(t)["SGD"]().Update(table, vector(ids...), matrix(n, dim, make([]float32, n*dim)...)))
		kib = changedKiB(t, path)
	}
	if want := n * os.Getpagesize() >> 10; kib == 0 || kib > 2*want {
		t.Errorf("%d KiB are to be written, the pages of the step have %d", kib, want)
	}
}
