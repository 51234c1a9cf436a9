//go:build !linux

package embedding

// mapHuge maps nothing: Go's own memory is what there is.
func mapHuge(int) (all, bytes []byte, err error) { return nil, nil, nil }

func unmap([]byte) error { return nil }
