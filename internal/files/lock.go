package files

import "github.com/pkg/errors"

// ErrLocked is a file or folder that someone else writes to.
var ErrLocked = errors.New("in use: it is open for writing elsewhere")
