// Package processor names the processor, for reports.
package processor

import (
	"os"
	"runtime"
	"strings"
)

// Name is what Linux calls the processor, and elsewhere its architecture.
func Name() string { return name("/proc/cpuinfo") }

func name(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
