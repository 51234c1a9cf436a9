package kernel

// Gather copies, for every index, what it picks in data to its item; Form says
// what that is. Elements are width bytes wide, or strings if width is 0; in the
// form Elements the width must be that of a word. It returns the position in Idx
// of the first bad index, or -1.
func (c *Call) Gather(width int) int {
	c.width = width
	switch c.Form {
	case Elements:
		return c.gatherElements()
	case Walk:
		return c.gatherWalk()
	}
	return c.gatherBlock()
}
