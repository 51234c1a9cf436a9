package quant

import "gorgonia.org/gather/internal/num"

// Blocks are numbers of 2, 4 or 8 bits, packed with the lowest bits first, with a scale and
// a zero point for each block of columns. With Inner numbers behind each column:
//
//	x[r, c, p] = float32(q[r, c, p] - zero[r, b, p])·scale[r, b, p], b = c / Size
//
// rounded to the kind of the scales.
type Blocks struct {
	Bits        int
	Signed      bool // the numbers are two's complements
	Columns     int
	Size        int // columns of a block
	Inner       int
	Data        []byte
	Scales      []byte   // of Kind
	Kind        num.Kind // Float32, Float16 or BFloat16
	Zeros       []byte   // packed as Data; nil: Zero
	Zero        int
	ZeroColumns int // of a row of Zeros, some of which may be there to fill bytes
}

// Run writes n numbers, from position start of data on, to to as numbers of Kind.
func (b *Blocks) Run(to []byte, start int64, n int) {
	blocks := (b.Columns + b.Size - 1) / b.Size
	for i := 0; i < n; {
		at := start + int64(i)
		line, p := at/int64(b.Inner), int(at%int64(b.Inner))
		row, c := int(line/int64(b.Columns)), int(line%int64(b.Columns))
		scale := b.scale((row*blocks+c/b.Size)*b.Inner + p)
		zero := b.Zero
		if b.Zeros != nil {
			zero = b.number(b.Zeros, (int64(row)*int64(b.ZeroColumns)+int64(c/b.Size))*int64(b.Inner)+int64(p))
		}
		end := i + 1 // of the numbers that have this scale
		if b.Inner == 1 {
			end = min(n, i+min(b.Size-c%b.Size, b.Columns-c))
		}
		for ; i < end; i++ {
			x := float32(b.number(b.Data, start+int64(i))-zero) * scale
			switch b.Kind {
			case num.Float16:
				num.As[uint16](to)[i] = num.Float16From32(x)
			case num.BFloat16:
				num.As[uint16](to)[i] = num.BFloat16From32(x)
			default:
				num.As[float32](to)[i] = x
			}
		}
	}
}

// number is a packed number.
func (b *Blocks) number(mem []byte, at int64) int {
	bit := at * int64(b.Bits)
	q := int(mem[bit>>3]) >> (bit & 7) & (1<<b.Bits - 1)
	if b.Signed {
		half := 1 << (b.Bits - 1)
		return q ^ half - half
	}
	return q
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
