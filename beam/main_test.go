package gatherbeam_test

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
)

// TestMain is a worker, if a runner has started this program as one: then Init does
// not return. Beam leaves a file in the temporary folder for each pipeline, so that
// the tests get one of their own.
func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1})))
	folder, err := os.MkdirTemp("", "beam-test-")
	check(err)
	check(os.Setenv("TMPDIR", folder))
	status := m.Run()
	for range 100 { // see tempDir
		if err = os.RemoveAll(folder); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	check(err)
	os.Exit(status)
}

// tempDir makes a folder that TestMain removes, not the end of the test: Prism returns
// a pipeline's error while other bundles of it still run, and write.
func tempDir(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "test")
	must(t, err)
	return folder
}

// run runs a pipeline on the runner that the flags name, by default Prism.
func run(p *beam.Pipeline) error {
	name := *runners.Runner
	if name == "" {
		name = "prism"
	}
	_, err := beam.Run(context.Background(), name, p)
	return err
}
