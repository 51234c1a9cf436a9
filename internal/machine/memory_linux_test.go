package machine

import (
	"testing"
	"testing/fstest"
)

// TestMemoryOf reads what Linux says of memory, in both versions of control
// groups, inside of containers and outside.
func TestMemoryOf(t *testing.T) {
	const meminfo = "MemTotal:       2048 kB\nMemFree:        1000 kB\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing", nil, unknownMemory},
		{"no groups", map[string]string{"proc/meminfo": meminfo}, 2 << 20},
		{"meminfo of another form", map[string]string{"proc/meminfo": "MemTotal: many\nMemTotal: -1 kB\nMemTotal: x kB\n"}, unknownMemory},
		{"meminfo beyond an int64", map[string]string{"proc/meminfo": "MemTotal: 9223372036854775807 kB\n"}, unknownMemory},
		{"version 2", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "1000000\n",
		}, 1000000},
		{"version 2, without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n",
		}, 2 << 20},
		{"a limit of a group above", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "3000\n",
		}, 3000},
		{"a container", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "5000\n",
		}, 5000},
		{"a container beside others", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/../other\n", "sys/fs/cgroup/memory.max": "5000\n",
		}, 5000},
		{"version 1", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:devices:/\n4:cpu,memory:/x:y\n",
			"sys/fs/cgroup/memory/x:y/memory.limit_in_bytes": "7000\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 7000},
		{"version 1, the path of the host", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/docker/0123\n0::/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "8000\n",
		}, 8000},
		{"version 1 without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 2 << 20},
		{"more than the machine has", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\nrubbish\n", "sys/fs/cgroup/memory.max": "4000000000\n",
		}, 2 << 20},
	} {
		root := fstest.MapFS{}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memoryOf(root); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want)
		}
	}
}
