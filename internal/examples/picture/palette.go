package picture

import (
	"image"
	"image/color"
	"image/draw"
)

// paletted is the image in at most 256 colours, in a fraction of the bytes: what
// is drawn has a handful of colours, and shades of them at the edges. Colours
// that hardly differ become the one of them that is met most. An image with more
// colours than that stays as it is.
func paletted(img image.Image) image.Image {
	for _, step := range []uint8{8, 16} {
		if p := merged(img, step); p != nil {
			return p
		}
	}
	return img
}

// merged makes one of all colours that are the same in steps of so much, and is
// nil if more than 256 are left.
func merged(img image.Image, step uint8) image.Image {
	bounds := img.Bounds()
	pixels := image.NewRGBA(bounds)
	draw.Draw(pixels, bounds, img, bounds.Min, draw.Src)
	group := func(c color.RGBA) color.RGBA { return color.RGBA{c.R / step, c.G / step, c.B / step, c.A / step} }

	uses := map[color.RGBA]int{}
	most := map[color.RGBA]color.RGBA{} // the colour of a group that is met most
	eachRun(pixels, func(x, y, n int, c color.RGBA) {
		uses[c] += n
		if uses[c] > uses[most[group(c)]] {
			most[group(c)] = c
		}
	})
	if len(most) > 256 {
		return nil
	}
	p := image.NewPaletted(bounds, nil)
	index := map[color.RGBA]uint8{}
	eachRun(pixels, func(x, y, n int, c color.RGBA) {
		g := group(c)
		i, known := index[g]
		if !known { // in the order of the image: the same file in each run
			i = uint8(len(p.Palette))
			index[g], p.Palette = i, append(p.Palette, most[g])
		}
		for ; n > 0; n, x = n-1, x+1 {
			p.SetColorIndex(x, y, i)
		}
	})
	return p
}

// eachRun calls do with each run of n pixels of one colour, from (x, y) on.
func eachRun(img *image.RGBA, do func(x, y, n int, c color.RGBA)) {
	bounds := img.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x, n := bounds.Min.X, 0; x < bounds.Max.X; x += n {
			c := img.RGBAAt(x, y)
			for n = 1; x+n < bounds.Max.X && img.RGBAAt(x+n, y) == c; n++ {
			}
			do(x, y, n, c)
		}
	}
}
