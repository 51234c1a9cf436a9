//go:build !openblas

package main

const blasName = "Gonum's BLAS"
