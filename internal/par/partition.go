package par

// Partition is one of several parts of memory, whose offsets are dealt out by hash. Each
// goroutine reads all offsets, and works on those of its own partitions.
type Partition struct {
	Number, Of uint64
	Shift      int // offsets that are equal but for so many bits are in one partition
}

// Memory is dealt out by pages: what the processor reads ahead stays within one of 4 KiB.
// Smaller memory than fewPages has too few of them, and is dealt out row by row.
const (
	PageShift = 12
	fewPages  = 256
)

// HasPages reports whether so many bytes are dealt out by pages.
func HasPages(bytes int) bool { return bytes >= fewPages<<PageShift }

// PartitionOf is the partition of a number of so many bytes of memory, by offsets in bytes.
func PartitionOf(number, of, bytes int) Partition {
	p := Partition{Number: uint64(number), Of: uint64(of)}
	if HasPages(bytes) {
		p.Shift = PageShift
	}
	return p
}

// Has is 1 if what is at an offset is the partition's, and 0 if not.
func (p Partition) Has(offset int64) int {
	// A number that is hard to guess from the row makes all partitions
	// alike, whatever rows are used most. There is no branch to guess either.
	hash := uint64(offset) >> p.Shift * 0x9E3779B97F4A7C15
	whose := hash >> 32 * p.Of >> 32
	return int(((whose ^ p.Number) - 1) >> 63)
}
