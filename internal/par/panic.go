package par

import (
	"fmt"
	"runtime/debug"
)

// A Panic is what a piece panicked with while several goroutines ran pieces. In a
// goroutine without a caller to recover it, it would end the process.
type Panic struct {
	Value any
	Stack []byte // of the goroutine, where it panicked
}

func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// Format adds the stack for %+v.
func (p *Panic) Format(s fmt.State, verb rune) {
	_, _ = fmt.Fprint(s, p.Value)
	if verb == 'v' && s.Flag('+') {
		_, _ = fmt.Fprintf(s, "\n%s", p.Stack)
	}
}

// Unwrap is the value, if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// recordPanic records the first panic for the caller, and leaves the others nothing more to
// do.
func (j *job) recordPanic() {
	value := recover()
	if value == nil {
		return
	}
	j.cause.CompareAndSwap(nil, &Panic{value, debug.Stack()})
	for i := range j.shares {
		j.shares[i].next.Store(j.shares[i].end)
	}
}
