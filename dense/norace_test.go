//go:build !race

package dense_test

const raced = false
