package core

import (
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

func machineMemory() int64 { return memoryOf(os.DirFS("/")) }

// memoryOf reads the memory of a Linux machine, or what the control groups of the
// process leave of it.
func memoryOf(root fs.FS) int64 {
	most := int64(unknownMemory)
	if kilobytes, ok := memTotal(root); ok {
		most = min(most, kilobytes<<10)
	}
	for _, limit := range groupLimits(root) {
		most = min(most, limit)
	}
	return most
}

// memTotal is the line MemTotal of /proc/meminfo.
func memTotal(root fs.FS) (kilobytes int64, ok bool) {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			return kilobytes, err == nil && 0 < kilobytes && kilobytes <= math.MaxInt64>>10
		}
	}
	return 0, false
}

// groupLimits are the limits of the process's control groups, of version 1 and 2,
// and of the groups they are in. A container may see its own group as the root of
// what is mounted, under the path that it has outside: what is not there is
// passed over on the way up.
func groupLimits(root fs.FS) (limits []int64) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		// A number, controllers, and a path that may have colons.
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		mount, file := "", ""
		switch {
		case fields[0] == "0" && fields[1] == "":
			mount, file = "sys/fs/cgroup", "memory.max"
		case strings.Contains(","+fields[1]+",", ",memory,"):
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			if text, err := fs.ReadFile(root, path.Join(mount, group, file)); err == nil {
				// Without a limit there is no number.
				if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
					limits = append(limits, limit)
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return limits
}
