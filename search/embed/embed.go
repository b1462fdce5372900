// Package embed turns a text into a vector without a download and without a
// model at run time: it cuts the text into word pieces, adds up one stored
// vector for each and normalises the sum.
//
// Contains word vectors derived from sentence-transformers/all-MiniLM-L6-v2,
// Apache License 2.0; modified by distillation, vocabulary extension and
// quantisation. See LICENSE and NOTICE beside this file.
package embed

import (
	_ "embed"
	"math"
)

const (
	// Model names what vectors are of. Vectors of different models cannot be
	// compared.
	Model = "builtin-wordpiece-128"
	// Dims is the length of a vector.
	Dims = 128
)

// table is used where it lies in the program: a header, a scale for each row,
// and the rows as int8. Row 0 stands for what is not known and is all zero.
//
//go:embed table.bin
var table string

const (
	headerSize = 24
	rowCount   = 35040
	rowsAt     = headerSize + 4*rowCount
)

// A Vector is a text's place among all texts: of length 1, or zero where nothing
// in the text is known.
type Vector [Dims]float32

// Text is the vector of a text, however long it is. Beyond a paragraph or two it
// says little.
func Text(text string) Vector {
	var v Vector
	pieces(text, func(id int32) {
		if id > 0 {
			v.add(id)
		}
	})
	v.normalise()
	return v
}

// add adds the row of a piece.
func (v *Vector) add(id int32) {
	scale := rowScale(id)
	at := rowsAt + int(id)*Dims
	row := table[at : at+Dims]
	for i := range v {
		v[i] += scale * float32(int8(row[i]))
	}
}

func rowScale(id int32) float32 {
	b := table[headerSize+4*int(id):]
	return math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
}

func (v *Vector) normalise() {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return
	}
	by := float32(1 / math.Sqrt(square))
	for i := range v {
		v[i] *= by
	}
}
