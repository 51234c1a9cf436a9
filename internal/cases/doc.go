// Package cases has the calls of gathers and scatters that tests make: what one
// consists of, what the oracle makes of it, and random scatters, drawn from bytes. For tests only.
package cases
