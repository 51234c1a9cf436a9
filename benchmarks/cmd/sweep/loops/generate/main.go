// Command generate writes the loops of package loops.
package main

import (
	"bytes"
	_ "embed"
	"go/format"
	"log"
	"os"
	"strings"
	"text/template"
)

//go:embed loops.tmpl
var text string

// move is what is done with an element of data, d, and of items, i.
type move struct {
	Name, Key string
	Half      bool   // for 16-bit floats alone
	Copies    bool   // rows may be moved by Go's copy
	From, To  string // the slice that is read and the one that is written, of items and data
	text      string
}

// Do is the statement that moves an element.
func (m move) Do(d, i string) string { return strings.NewReplacer("D", d, "I", i).Replace(m.text) }

// Params and Types are those of the loop in Go.
func (m move) Params() string {
	if m.Half {
		return "[I Index]"
	}
	if m.Copies {
		return "[T Number | Half, I Index]"
	}
	return "[T Number, I Index]"
}

func (m move) Element() string {
	if m.Half {
		return "Half"
	}
	return "T"
}

var moves = []move{
	{Name: "gather", Key: "Gather", Copies: true, From: "data", To: "items", text: "I = D"},
	{Name: "set", Key: "Set", Copies: true, From: "items", To: "data", text: "D = I"},
	{Name: "add", Key: "Add", text: "D += I"},
	{Name: "max", Key: "Max", text: "if u := I; u > D {\nD = u\n}"},
	{Name: "addHalf", Key: "Add", Half: true, text: "D = float16.Fromfloat32(D.Float32() + I.Float32())"},
	{Name: "maxHalf", Key: "Max", Half: true, text: "if u := I; u.Float32() > D.Float32() {\nD = u\n}"},
}

// loop is one function.
type loop struct {
	move
	Form           string
	Tuple, Checked bool
}

// Func is its name.
func (l loop) Func() string {
	name := l.Name + l.Form
	if l.Tuple {
		name += "Tuples"
	}
	if !l.Checked {
		name += "Unchecked"
	}
	return name
}

func loops() (all []loop) {
	for _, m := range moves {
		for _, form := range []string{"Elements", "Single", "Run", "Copied", "Strided"} {
			for _, tuple := range []bool{false, true} {
				for _, checked := range []bool{true, false} {
					if (form != "Copied" || m.Copies) && (form != "Elements" || !tuple) && (checked || m.Key != "Gather") {
						all = append(all, loop{m, form, tuple, checked})
					}
				}
			}
		}
	}
	return all
}

// source is the file of all loops.
func source() ([]byte, error) {
	var b bytes.Buffer
	t, err := template.New("loops").Parse(text)
	if err == nil {
		err = t.Execute(&b, map[string]any{"Loops": loops(), "Moves": moves[2:], "Halves": []bool{false, true}})
	}
	if err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

func main() {
	b, err := source()
	if err == nil {
		err = os.WriteFile("generated.go", b, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
