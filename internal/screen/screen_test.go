package screen

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

func TestFit(t *testing.T) {
	status := []string{"epoch 3 of 20", "größe 2"}
	for columns, want := range map[int]string{
		100: "epoch 3 of 20, größe 2, 4s left", 31: "epoch 3 of 20, größe 2, 4s left",
		30: "größe 2, 4s left", 16: "größe 2, 4s left",
		15: "größe 2", 7: "größe 2",
		6: "", -5: "",
	} {
		if got := Fit(columns, status, "4s left"); got != want {
			t.Errorf("%d columns: got %q, want %q", columns, got, want)
		}
	}
	if got := Fit(7, []string{"longer than that"}, "1s left"); got != "1s left" {
		t.Errorf("got %q", got)
	}
	if !slices.Equal(status, []string{"epoch 3 of 20", "größe 2"}) {
		t.Errorf("the status was written over: %q", status)
	}
}

func TestWidthOfNoTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := Width(new(bytes.Buffer)); n != 0 {
		t.Errorf("a buffer is %d columns wide", n)
	}
	for _, file := range []*os.File{nil, f} {
		if n := Width(file); n != 0 {
			t.Errorf("%v is %d columns wide", file, n)
		}
	}
	t.Setenv("TERM", "dumb")
	if n := Width(os.Stdout); n != 0 {
		t.Errorf("a dumb terminal is %d columns wide", n)
	}
}
