package schema

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// A nameIndex numbers names, in the order of their adding. It is a hash table of its own because finding names is a large part of
// what an object costs, and a map takes twice the time. The zero nameIndex is empty; finding is safe for concurrent use.
type nameIndex struct {
	slots []nameSlot // a power of two, at least half of them empty
	count int
}

type nameSlot struct {
	name   string
	number int // counted from one; 0: the slot is empty
}

// add returns the number of the name, which is a new one when the name is new.
func (x *nameIndex) add(name string) int {
	if 2*x.count >= len(x.slots) {
		old := x.slots
		x.slots = make([]nameSlot, max(4, 2*len(old)))
		for _, s := range old {
			if s.number > 0 {
				*x.slot([]byte(s.name)) = s
			}
		}
	}
	slot := x.slot([]byte(name))
	if slot.number == 0 {
		x.count++
		*slot = nameSlot{name, x.count}
	}
	return slot.number - 1
}

// find returns the number of the name, and -1 when there is none.
func (x *nameIndex) find(name []byte) int {
	if len(x.slots) == 0 {
		return -1
	}
	return x.slot(name).number - 1
}

// slot returns where the name is, or belongs.
func (x *nameIndex) slot(name []byte) *nameSlot {
	mask := len(x.slots) - 1
	for i := int(hashBytes(name)) & mask; ; i = (i + 1) & mask {
		if slot := &x.slots[i]; slot.number == 0 || slot.name == string(name) {
			return slot
		}
	}
}

// hashSecrets differ from process to process, so that nobody can choose texts that collide.
var hashSecrets = func() (secrets [2]uint64) {
	for i := range secrets {
		secrets[i] = maphash.String(maphash.MakeSeed(), "") | 1
	}
	return secrets
}()

// hashBytes mixes eight bytes at a time; the last eight may overlap those before.
func hashBytes(b []byte) uint64 {
	h, n := hashSecrets[0]^uint64(len(b)), len(b)
	switch {
	case n >= 8:
		for i := 0; i+8 < n; i += 8 {
			h = fold(h ^ binary.LittleEndian.Uint64(b[i:]))
		}
		return fold(h ^ binary.LittleEndian.Uint64(b[n-8:]))
	case n >= 4:
		return fold(h ^ (uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32))
	}
	x := uint64(0)
	for _, c := range b {
		x = x<<8 | uint64(c)
	}
	return fold(h ^ x)
}

func fold(x uint64) uint64 {
	hi, lo := bits.Mul64(x, hashSecrets[1])
	return hi ^ lo
}
