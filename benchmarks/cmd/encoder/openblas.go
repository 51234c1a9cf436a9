//go:build openblas

package main

import (
	"gonum.org/v1/netlib/blas/netlib"
	"gorgonia.org/gorgonia"
)

const blasName = "OpenBLAS"

func init() { gorgonia.Use(netlib.Implementation{}) }
