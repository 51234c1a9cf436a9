// Package shapes computes the result shapes of the gather and scatter
// operators from the shapes of their inputs, and returns an error for inputs whose
// shapes do not fit. Its functions are pure: they take shapes, and return a shape or an
// error.
//
// Letters used below, and everywhere in this module:
//
//	r  rank of data            s  shape of data
//	q  rank of indices         i  shape of indices
//	u  shape of updates        a  axis, counted from the front
//	b  batch dims              k  last dim of a GatherND or ScatterND indices
//	++ joins shapes            s[:a] the dims of s before axis a
//
// Every error wraps [ErrShape] or [ErrAxis] and says which operator and which
// argument it is about, the value found and what is allowed.
package shapes
