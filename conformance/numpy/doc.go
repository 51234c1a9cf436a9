// Package numpy exchanges tables of package embedding with NumPy, through files,
// both ways: what embedding.Create and embedding.Save write, NumPy loads and maps, and
// what NumPy writes, embedding.Open maps or refuses.
//
// Both sides compute row r, column c of every array as 1.5r + c/8 - 3, which is exact
// in float32, so that no values have to be told. Arrays of every dtype go the same ways
// by dense.WriteNpy and dense.ReadNpy.
package numpy
