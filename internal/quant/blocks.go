package quant

import "gorgonia.org/gather/internal/num"

// Blocks are rows of unsigned numbers of 2, 4 or 8 bits, packed with the lowest bits
// first, with a scale and a zero point for each block of columns:
//
//	x[r, c] = float32(q[r, c] - zero[r, b])·scale[r, b], b = c / Size
//
// rounded to the kind of the scales.
type Blocks struct {
	Bits    int
	Columns int
	Size    int      // columns of a block
	Data    []byte   // rows of Columns·Bits/8 bytes
	Scales  []byte   // of Kind
	Kind    num.Kind // Float32, Float16 or BFloat16
	Zeros   []byte   // packed as Data, each row filled to whole bytes; nil: 2^(Bits-1)
}

// Row writes a row to to, numbers of Kind.
func (b *Blocks) Row(to []byte, row int) {
	blocks := (b.Columns + b.Size - 1) / b.Size
	data := b.Data[row*b.bytes(b.Columns):][:b.bytes(b.Columns)]
	for block := range blocks {
		scale := b.scale(row*blocks + block)
		zero := 1 << (b.Bits - 1)
		if b.Zeros != nil {
			zero = b.number(b.Zeros[row*b.bytes(blocks):], block)
		}
		for c := block * b.Size; c < min((block+1)*b.Size, b.Columns); c++ {
			x := float32(b.number(data, c)-zero) * scale
			switch b.Kind {
			case num.Float16:
				num.As[uint16](to)[c] = num.Float16From32(x)
			case num.BFloat16:
				num.As[uint16](to)[c] = num.BFloat16From32(x)
			default:
				num.As[float32](to)[c] = x
			}
		}
	}
}

// bytes is the size of so many packed numbers.
func (b *Blocks) bytes(numbers int) int { return (numbers*b.Bits + 7) / 8 }

// number is a packed number.
func (b *Blocks) number(mem []byte, i int) int {
	return int(mem[i*b.Bits/8]) >> (i * b.Bits % 8) & (1<<b.Bits - 1)
}

func (b *Blocks) scale(i int) float32 {
	switch b.Kind {
	case num.Float16:
		return num.Float16To32(num.As[uint16](b.Scales)[i])
	case num.BFloat16:
		return num.BFloat16To32(num.As[uint16](b.Scales)[i])
	}
	return num.As[float32](b.Scales)[i]
}
