package machine

import (
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

func memory() int64 { return memoryOf(os.DirFS("/")) }

// memoryOf reads the memory of a Linux machine, or what the control groups of the
// process, of version 1 and 2, and the groups they are in leave of it. A container may see its own
// group as the root of what is mounted, under the path that it has outside: what is not
// there is passed over on the way up.
func memoryOf(root fs.FS) int64 {
	most := int64(unknownMemory)
	limit := func(text string, unit int64) {
		// Without a limit there is no number.
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && 0 < n && n <= math.MaxInt64/unit {
			most = min(most, n*unit)
		}
	}
	read := func(name string) string {
		text, _ := fs.ReadFile(root, name) // what cannot be read says nothing
		return strings.TrimSpace(string(text))
	}
	for line := range strings.Lines(read("proc/meminfo")) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			limit(fields[1], 1<<10)
		}
	}
	for line := range strings.Lines(read("proc/self/cgroup")) {
		// A number, controllers, and a path that may have colons.
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		mount, file := "sys/fs/cgroup", "memory.max"
		switch {
		case len(fields) < 3:
			continue
		case fields[0] == "0" && fields[1] == "":
		case strings.Contains(","+fields[1]+",", ",memory,"):
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			limit(read(path.Join(mount, group, file)), 1)
			if group == "/" {
				break
			}
		}
	}
	return most
}
