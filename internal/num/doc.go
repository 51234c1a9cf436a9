// Package num says what numbers are, to the loops over memory and to those who
// describe a call to them: kinds of elements, reductions, and memory viewed as
// elements. It stands on the standard library alone.
package num
