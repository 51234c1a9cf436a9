//go:build !linux

package files

import "os"

func (m *Mapped) random() {}

// WillNeed does nothing: this system reads pages when they are touched.
func (m *Mapped) WillNeed(int, int) {}

// Waited is 0, so that nobody asks.
func Waited() (times int64, thread int) { return 0, 0 }

// Read is 0.
func Read() int64 { return 0 }

// PageSize is how many bytes are read at least.
var PageSize = os.Getpagesize()
