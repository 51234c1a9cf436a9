package main

import (
	"context"
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/benchmarks/internal/command"
)

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		flag string
		is   error
		says string
	}{
		{"-h", flag.ErrHelp, ""},
		{"-row", command.ErrFlags, ""},
		{"-rounds=0", nil, "flag -rounds: 0"},
		{"rows", nil, `"rows" is too many`},
		{"-storages=Int2", nil, `no storage "Int2"`},
		{"-threads=none", nil, `flag -threads: "none"`},
		{"-pages=wide", nil, `flag -pages: "wide"`},
	} {
		err := run(context.Background(), []string{c.flag}, io.Discard, io.Discard)
		require.Error(t, err, c.flag)
		if c.is != nil {
			require.ErrorIs(t, err, c.is, c.flag)
		}
		require.Contains(t, err.Error(), c.says)
	}
}

// TestRun measures small tables, and prints a line for each call.
func TestRun(t *testing.T) {
	var out strings.Builder
	flags := "-rows 50 -dim 9 -bags 3 -bag 4 -sets 2 -rounds 1"
	require.NoError(t, run(context.Background(), strings.Fields(flags), &out, io.Discard))
	for name := range storages {
		require.Equal(t, 4, strings.Count(out.String(), "| "+name+" |"), out.String())
	}
}
