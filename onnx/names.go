package onnx

import (
	"bytes"
	"hash/maphash"

	"github.com/pkg/errors"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/internal/fault"
)

// names finds values by name. It is a hash table that remembers where in the
// graph a name stands instead of the name: a map of strings would take up to
// twenty times what short names take in a file. The seed is random, so that no
// file can hold names of one hash.
type names struct {
	graph []byte
	seed  maphash.Seed
	slots []slot // a power of two of them, at most three quarters of them taken
}

// A slot is a name and who gives the value of that name.
type slot struct {
	at    uint32 // of the name in graph, its length in front, plus 1; 0 if the slot is free
	giver giver
	index uint32 // of the giver, among the inputs if it is one
}

// A giver is what gives a value.
type giver uint8

const (
	aNode giver = iota
	anInput
	anInitializer
	aDefault // an input with an initializer
	anOutput // gives nothing: outputs have a table of their own
)

func (g giver) String() string {
	return [...]string{"a node's output", "an input", "an initializer", "an input with an initializer", "an output"}[g]
}

// slotBytes is the size of a slot.
const slotBytes = 12

// slotsFor is the number of slots for so many names.
func slotsFor(count int) int {
	slots := 4
	for slots < count+count/3+1 {
		slots *= 2
	}
	return slots
}

func newNames(graph []byte, count int) names {
	return names{graph: graph, seed: maphash.MakeSeed(), slots: make([]slot, slotsFor(count))}
}

// find returns the slot of a name, or the one to put it in. It must not be called
// on a table without slots.
func (t *names) find(name []byte) *slot {
	mask := uint64(len(t.slots) - 1)
	for i := maphash.Bytes(t.seed, name); ; i++ {
		s := &t.slots[i&mask]
		if s.at == 0 || bytes.Equal(t.name(s), name) {
			return s
		}
	}
}

// name is the name of a slot that is taken.
func (t *names) name(s *slot) []byte {
	name, _ := protowire.ConsumeBytes(t.graph[s.at-1:])
	return name
}

// lookup returns the slot of a name, nil if there is none.
func (t *names) lookup(name string) *slot {
	if len(t.slots) == 0 {
		return nil // of the zero Model
	}
	if s := t.find([]byte(name)); s.at != 0 {
		return s
	}
	return nil
}

// takeName takes the name that a message has in a field of that number.
func (t *names) takeName(b []byte, start uint32, number protowire.Number, by giver, index int) error {
	var name field
	err := eachField("GraphProto", b, func(f field) error {
		if f.number == number {
			name = f
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(name.bytes) == 0 {
		return errors.Errorf("%v without a name", by)
	}
	return t.take(name.bytes, start+uint32(name.at), by, index)
}

// take notes who gives the value of a name, which stands at that place of the
// graph.
func (t *names) take(name []byte, at uint32, by giver, index int) error {
	s := t.find(name)
	switch {
	case s.at == 0:
		*s = slot{at: at + 1, giver: by, index: uint32(index)}
		return nil
	case s.giver == anInput && by == anInitializer:
		s.giver = aDefault
		return nil
	}
	return errors.Errorf("%q is the name of %v and of %v", fault.Cut(string(name)), s.giver, by)
}
