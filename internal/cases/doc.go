// Package cases has the calls of scatters that tests make: what one consists of,
// what the oracle makes of it, and random ones, drawn from bytes. For tests only.
package cases
