package kernel

// Scatter overwrites, for every index, what it picks in data by its item, in
// row-major order of the indices, so that the last writer wins; Form says what
// that is. Elements are width bytes wide, or strings if width is 0; in the form
// Elements the width must be that of a word. It returns the position in Idx of
// the first bad index, or -1.
func (c *Call) Scatter(width int) int {
	c.width = width
	switch c.Form {
	case Elements:
		return c.scatterElements()
	case Walk:
		return c.scatterWalk()
	}
	return c.scatterBlock()
}
