package files

import (
	"io/fs"
	"syscall"

	"github.com/pkg/errors"
)

// name gives a file or folder its name, unless that is taken. Some file systems
// cannot rename so: a link fails, too, where the name is taken. Some have no links,
// and folders have none.
func name(from, to string) error {
	err := call("rename exclusively", to, func() error { return renameExclusive(from, to) })
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOSYS) && !errors.Is(err, syscall.ENOTSUP):
		return errors.Wrapf(err, "renaming %s to %s", from, to)
	}
	err = link(from, to)
	switch {
	case err == nil:
		_ = remove(from) // Create removes it that finds two names of one file
		return nil
	case errors.Is(err, fs.ErrExist):
		return err
	}
	if err := vacant(to); err != nil {
		return err
	}
	return rename(from, to)
}
