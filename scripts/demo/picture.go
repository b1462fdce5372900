package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
)

// drawMap writes a small picture: land in water, with lines of equal height.
func drawMap(path string) error {
	land := color.Palette{
		color.RGBA{0x1b, 0x4b, 0x6b, 0xff},
		color.RGBA{0x2f, 0x6f, 0x8f, 0xff},
		color.RGBA{0xd8, 0xc9, 0x9b, 0xff},
		color.RGBA{0x8f, 0xb0, 0x6a, 0xff},
		color.RGBA{0x5f, 0x8a, 0x4c, 0xff},
		color.RGBA{0xf2, 0xf2, 0xee, 0xff},
	}
	picture := image.NewPaletted(image.Rect(0, 0, 240, 160), land)
	for y := range 160 {
		for x := range 240 {
			px, py := float64(x), float64(y)
			height := 2.2 + 1.6*math.Sin(px/37)*math.Cos(py/29) + 1.1*math.Sin((px+2*py)/53)
			picture.SetColorIndex(x, y, uint8(min(max(height, 0), 5)))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
