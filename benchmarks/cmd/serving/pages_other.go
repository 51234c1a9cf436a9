//go:build !linux

package main

import "github.com/pkg/errors"

// usePages leaves the pages to the system.
func usePages(which string) error {
	if which != "huge" && which != "own" {
		return errors.Errorf("%q, only Linux can be told", which)
	}
	return nil
}
