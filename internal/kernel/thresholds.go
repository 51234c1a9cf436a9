package kernel

// From where on another way to run a loop is worth it. Each is a number with a
// unit, and what was measured; figures are of 2 cores of a Zen 4 or 5.
const (
	// scatterGrain is how many elements a goroutine should at least scatter to be
	// worth its start.
	scatterGrain = 16 << 10

	// copyGrain is how many bytes a goroutine should at least copy.
	copyGrain = 512 << 10

	// fewBlocks is how many blocks of data are dealt out to goroutines: fewer would
	// leave one of four cores with nothing to do.
	fewBlocks = 4

	// partitionedCopyBytes and partitionedSumElements are how large a row is that is worth
	// partitions, in each of which every index is read: in bytes, a cache line, where it is copied, in
	// elements where each of them is combined. Two threads, pages dealt out: gradient
	// of an embedding lookup, rows of 512 bytes, 212 -> 54 µs; of a table out of cache
	// 1665 -> 1095. Sums of 65536 rows go by elements, not bytes: rows of 8 float64
	// take 299 µs without and 615 with them, rows of 32 int8 2693 and 2140.
	partitionedCopyBytes   = 64
	partitionedSumElements = 16

	// page is what partitions are made of: what the processor reads ahead stays
	// within a page of 4 KiB.
	page      = 1 << pageShift
	pageShift = 12

	// partitionedPages is how many pages data has of which each is in one partition. Fewer
	// could fall to one of them; rows of smaller data are shared one by one.
	partitionedPages = 256

	// ownedColumns is how many columns of single elements are worth dividing: two
	// cache lines of float32. With fewer, goroutines would write to each other's.
	ownedColumns = 32

	// pieceColumns is how many columns a goroutine gets at least: a cache line of
	// float32.
	pieceColumns = 16

	// filledColumns is how many columns a reduction without the old value starts at
	// a time.
	filledColumns = 256

	// copiedBefore is about how many bytes of old values are copied before they are
	// worked on: a page or, if they are larger, a block. The rest of the nearest
	// cache is for the loop. ScatterElements add on the last axis, copied at once:
	// 1300 µs; page by page: 911.
	copiedBefore = 4 << 10
)
