package par

// Partition is one of several parts of memory, to which offsets are assigned by hash. Each
// goroutine reads all offsets, and works on those of its partitions.
type Partition struct {
	Number, Of uint64
	Shift      int // offsets that are equal but for their last Shift bits are in one partition
}

// Memory is divided by pages, within which the processor prefetches. Memory of less than
// fewPages, which could all fall to one partition, is divided by rows.
const (
	PageShift = 12
	fewPages  = 256
)

// Goroutines that write to neighbouring cache lines wait for each other, on some processors for 100 ns each time. In memory of
// FarBytes or more few lines are written again soon: rows are divided there if they have farRow bytes, as every goroutine reads
// all offsets, and in less memory if they have nearRow. See benchmarks/results/thresholds.md.
const FarBytes, nearRow, farRow = 2 << 20, 2 << 10, 256

// Partitions is how many partitions are worth it of memory of some bytes, in rows of row bytes, for some grains of work.
func Partitions(row, bytes, grains int) int {
	if row < farRow || row < nearRow && bytes < FarBytes {
		return 1
	}
	return max(1, min(Threads(), grains))
}

// PartitionOf is one of the partitions of memory of some bytes, by its number. Offsets are in bytes.
func PartitionOf(number, of, bytes int) Partition {
	shift := 0
	if bytes >= fewPages<<PageShift {
		shift = PageShift
	}
	return Partition{uint64(number), uint64(of), shift}
}

// Has is 1 if what is at an offset is the partition's, and 0 if not.
func (p Partition) Has(offset int64) int {
	// A hash makes the partitions alike, whatever rows are hot. There is no branch to
	// predict.
	hash := uint64(offset) >> p.Shift * 0x9E3779B97F4A7C15
	number := hash >> 32 * p.Of >> 32
	return int(((number ^ p.Number) - 1) >> 63)
}
