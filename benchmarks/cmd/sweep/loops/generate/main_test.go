package main

import (
	"bytes"
	"os"
	"testing"
)

// The loops are those of the template.
func TestGenerated(t *testing.T) {
	want, err := source()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../generated.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("generated.go is not what go generate writes")
	}
}
