package par

import "syscall"

// yield lets the system run another thread on this core. After a sleep Linux
// often wakes two threads of a program on one core, for some milliseconds: one
// that only waits would take half of the time of the other.
func yield() { _, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
