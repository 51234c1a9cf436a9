package graph

import "github.com/pkg/errors"

// As finds an error of a type in what a machine's RunAll returns, which has no
// Unwrap, or in any other error.
func As[T error](err error) (found T, ok bool) {
	// No machine wraps more than twice; the bound is for an error that holds itself.
	for depth := 0; err != nil && depth < 100; depth++ {
		if errors.As(err, &found) {
			return found, true
		}
		var wrapped interface{ Err() error }
		if !errors.As(err, &wrapped) {
			return found, false
		}
		err = wrapped.Err()
	}
	return found, false
}
