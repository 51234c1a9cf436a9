package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/cpu"
	"gorgonia.org/gather/benchmarks/internal/processor"
)

// Machine is what the times depend on.
type Machine struct {
	CPU      string            `json:"cpu"`
	Caches   []Cache           `json:"caches"` // those of the first core for data, the smallest first
	Cores    int               `json:"cores"`
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	Go       string            `json:"go"`
	Build    string            `json:"build"` // see build
	Versions map[string]string `json:"versions"`
	Date     string            `json:"date"`
}

// Cache is one level.
type Cache struct {
	Level int    `json:"level"`
	Bytes int    `json:"bytes"`
	Cores string `json:"cores"` // that share it
}

func thisMachine() Machine {
	return Machine{
		CPU:    processor.Name(),
		Caches: caches("/sys/devices/system/cpu/cpu0/cache"),
		Cores:  runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Go: runtime.Version(), Build: build(),
		Versions: moduleVersions(),
		Date:     time.Now().Format(time.DateOnly),
	}
}

// build names the instruction set of the assembly that runs, or is "Go" where
// none does.
func build() string {
	switch {
	case !withAssembly:
		return "Go"
	case cpu.X86.HasAVX2:
		return "AVX2"
	}
	return "Go"
}

// moduleVersions are those of the modules that are measured.
func moduleVersions() map[string]string {
	versions := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	for _, m := range info.Deps {
		switch m.Path {
		case "gorgonia.org/tensor":
			versions[ByIndices] = m.Version
		case "github.com/advancedclimatesystems/gonnx":
			versions[Gonnx] = m.Version
		}
	}
	return versions
}

// caches reads what Linux says of one core. Elsewhere there are none.
func caches(dir string) []Cache {
	entries, _ := filepath.Glob(filepath.Join(dir, "index*"))
	var all []Cache
	for _, e := range entries {
		read := func(name string) string {
			b, _ := os.ReadFile(filepath.Join(e, name)) // an empty text is skipped below
			return strings.TrimSpace(string(b))
		}
		if read("type") == "Instruction" {
			continue
		}
		level, err := strconv.Atoi(read("level"))
		if err != nil {
			continue
		}
		kilobytes, err := strconv.Atoi(strings.TrimSuffix(read("size"), "K"))
		if err != nil {
			continue
		}
		all = append(all, Cache{Level: level, Bytes: kilobytes << 10, Cores: read("shared_cpu_list")})
	}
	return all
}

func (m Machine) String() string {
	s := fmt.Sprintf("%s, %d cores", m.CPU, m.Cores)
	for _, c := range m.Caches {
		s += fmt.Sprintf(", L%d %s", c.Level, byteText(c.Bytes))
	}
	return s + fmt.Sprintf(", %s/%s, %s", m.OS, m.Arch, strings.Replace(m.Go, "go", "Go ", 1))
}

// byteText writes a power of two as people do.
func byteText(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d kB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
