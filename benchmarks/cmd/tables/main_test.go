package main

import (
	"context"
	"flag"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gorgonia.org/gather/benchmarks/internal/command"
)

// Flags that are asked for are listed, wrong ones are refused, each with one message.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		name, flag string
		is         error
		says       string // the error or what the flag set has written
	}{
		{"help", "-h", flag.ErrHelp, "Usage of tables"},
		{"unknown", "-row", command.ErrFlags, "flag provided but not defined: -row"},
		{"no number", "-rounds=many", command.ErrFlags, `invalid value "many" for flag -rounds`},
		{"no round", "-rounds=0", nil, "flag -rounds: 0"},
		{"no flag", "rows", nil, `"rows" is too many`},
		{"no group", "-group=row", nil, `flag -group: there is no group "row"`},
		{"no thread", "-threads=0", nil, `flag -threads: "0"`},
		{"no case", "-case=SGDs", nil, "no case"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr strings.Builder
			err := run(context.Background(), []string{c.flag}, &stderr)
			if err == nil {
				t.Fatal("no error")
			}
			said := stderr.String()
			if c.is == nil {
				said += err.Error()
			} else if !errors.Is(err, c.is) {
				t.Errorf("the error is %v, want %v", err, c.is)
			}
			if !strings.Contains(said, c.says) {
				t.Errorf("it says %q, want %q", said, c.says)
			}
		})
	}
}
