//go:build !amd64 || !gc || noasm

package main

// withAssembly tells whether the kernels in assembly are part of this build.
const withAssembly = false
