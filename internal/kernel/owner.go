package kernel

// owner is what package bag calls a partition, until it has that of par.
type owner = partition

func (p partition) owns(offset int64) int { return p.has(offset) }
