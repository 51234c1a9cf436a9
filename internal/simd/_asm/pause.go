package main

import . "github.com/mmcloughlin/avo/build"

// pause tells the processor that its thread waits in a loop.
func pause() {
	TEXT("Pause", NOSPLIT, "func()")
	Doc("Pause leaves the core to its other thread for a moment. It does nothing else.")
	PAUSE()
	RET()
}
