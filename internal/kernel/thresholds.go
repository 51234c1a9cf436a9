package kernel

// From where on another way to run a loop is faster. Each is a number with a unit; what was
// measured for most of them is in benchmarks/results/thresholds.md.
const (
	// scatterGrain is how many elements a goroutine should at least scatter to be
	// worth its start.
	scatterGrain = 16 << 10
	// farGrain is the same for elements that each wait for memory.
	farGrain = 2 << 10

	// shortRun is up to how many elements the innermost loop of single elements is short: a
	// call for so few takes as long as they do.
	shortRun = 16

	// movedRun, times the bytes of an index, is what shortRun is for elements that are moved: their loop for lines takes four at
	// a time.
	movedRun = 8

	// shortLine is up to how many elements it has if the loop around it changes places with it, or shortRun if
	// that has the same indices each time or there are few targets: see waitingTargets.
	shortLine = 3

	// waitingTargets is up to how many targets the updates of one, which come soon after each other, wait for the one
	// before if they are floats, and half of it if integers. The loop around then changes places with theirs, if it has the
	// same indices each time or, for half as many targets, theirs is no longer than shortRun. With the same indices up to
	// twice as many updates as shortRun do so for any number of targets: vector loops have little to do there.
	waitingTargets = 4

	// fewElements is up to how many elements the rows have in which an extreme of few targets leaves
	// out stores, and up to how many those of one target that are combined one column after the other.
	fewElements = 3

	// afterSkipped is how many single elements are worked on one by one from one that is skipped
	// on: where many are, each would end a call of the loop for four at a time.
	afterSkipped = 256

	// linesAtOnce is how many single elements are worked on along a loop that is not around the
	// innermost, before the next ones, which may need the same cache lines.
	linesAtOnce = 1024

	// Single elements are far, and those of the next lines are prefetched, prefetched of them at a time, if
	//
	//   - runs have at most farRun items,
	//   - the axes reach over farSpan bytes or more of data,
	//   - and data has farData bytes or more, as have the cache lines of all items: of fewer most are still in
	//     the second cache when they come again.
	//
	// Two cases are left to the processor, which fetches ahead what is gone through in order: an axis of at most as many rows
	// as streams, which have farData bytes together, and items of turnedBytes in runs that begin farItems bytes apart.
	farRun, prefetched, farSpan, farData, streams, farItems = 64, 128, 16 << 10, 1 << 20, 8, 256

	// turnedBytes is from how many bytes on memory is gone through in order: by few indices, of the cache lines of data and of
	// items together, by more than fewRows whose tail is contiguous, of data, and by updates of few targets, of items.
	turnedBytes = 20 << 20

	// copyGrain is how many bytes a goroutine should at least copy.
	copyGrain = 512 << 10

	// fewBlocks is how many blocks of data are divided between goroutines as they are: fewer
	// would leave one of four cores with nothing to do.
	fewBlocks = 4

	// dividedBytes is how many bytes a loop goes through at least to be divided, if it is inside another or its data lies
	// between that of others, where data is far, and dividedRow where it is near (see par.FarBytes): goroutines would write to
	// each other's cache lines. For the same reason fewer than fewBlocks blocks are divided from blockBytes each on.
	dividedBytes, blockBytes = 128, 1 << 10

	// dividedSteps is how many iterations a loop of a gather has that goroutines divide, though
	// a longer one is inside it: so each cache line of data is read by one of them.
	dividedSteps = 8

	// fewPositions is up to how many positions a nest has without a tail, if all have one index tuple: the loop for several
	// tuples begins sooner than that for a tail. So many are not turned either.
	fewPositions = 128

	// dividedRow is from how many bytes on the columns of rows are divided between goroutines,
	// each of which reads all indices.
	dividedRow = 16 << 10

	// chunkColumns is how many columns a goroutine gets at least: a cache line of
	// float32.
	chunkColumns = 16

	// chunkPositions is how many targets are set to the neutral element at a time.
	chunkPositions = 1024

	// copiedBefore is about how many bytes of old values are copied before they are
	// worked on: a page or, if it is larger, a block. The rest of the cache of first level
	// is for the loop. If caches do not hold all old values, and fewer than one cache line of eight is
	// changed, they are copied at once, past the caches.
	copiedBefore = 4 << 10

	// longRows is how many rows of any size are copied or combined at once: of a few, together, the
	// loop sees whether the caches hold them.
	longRows = 8
)
