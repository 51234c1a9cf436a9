package oracle

// GatherTree follows beams back from their last step (OpenVINO GatherTree-1). stepIDs and parentIDs have shape (T, B, W) for
// time, batch and beam, maxSeqLen has shape (B). For every batch b and beam w, with L = min(T, maxSeqLen[b]):
//
//	out[L-1, b, w] = stepIDs[L-1, b, w]      p = parentIDs[L-1, b, w]
//	out[t, b, w]   = stepIDs[t, b, p]        p = parentIDs[t, b, p]      t = L-2 … 0
//
// and all that follows the first endToken of a beam, or lies at L and behind, is endToken. Only a parent that is followed is
// checked, in the order of the walk: the parents of step 0 and those behind L may hold anything. Position is the place in
// parentIDs, and Axis 2 is the beam axis.
func GatherTree[T Integer | Float](stepIDs, parentIDs, maxSeqLen Array[T], endToken T) (Array[T], *BadIndex) {
	steps, batches, beams := stepIDs.Shape[0], stepIDs.Shape[1], stepIDs.Shape[2]
	out := New[T](stepIDs.Shape...)
	for b := range batches {
		for w := range beams {
			for t := range steps {
				out.Set(endToken, t, b, w)
			}
			beam := w
			for t := min(steps, int(maxSeqLen.At(b))) - 1; t >= 0; t-- {
				out.Set(stepIDs.At(t, b, beam), t, b, w)
				if t == 0 {
					break
				}
				parent := int64(parentIDs.At(t, b, beam))
				if parent < 0 || parent >= int64(beams) {
					return Array[T]{}, &BadIndex{Position: []int{t, b, beam}, Index: parent, Axis: 2, Size: beams}
				}
				beam = int(parent)
			}
			ended := false
			for t := range steps {
				if ended {
					out.Set(endToken, t, b, w)
				}
				ended = ended || out.At(t, b, w) == endToken
			}
		}
	}
	return out, nil
}
