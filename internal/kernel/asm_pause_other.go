//go:build !amd64 || !gc || noasm

package kernel

// pause does nothing: there is no instruction for it that Go could reach.
func pause() {}
