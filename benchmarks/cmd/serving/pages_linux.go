package main

import (
	"os"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// usePages chooses the pages of this process and of those that it starts. Without being
// told, PyTorch asks for no huge ones.
func usePages(which string) error {
	switch which {
	case "own":
		return nil
	case "huge":
		return errors.WithStack(os.Setenv("THP_MEM_ALLOC_ENABLE", "1"))
	case "small":
		return errors.WithStack(unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0))
	}
	return errors.Errorf("%q, allowed are huge, small and own", which)
}
