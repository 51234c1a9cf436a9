package consoletest

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gorgonia.org/gather/internal/examples/console"
)

// Training is an example that learns something, with what its tests need to know
// of it.
type Training struct {
	Program  console.Program
	Pictures []string  // its files, the last one drawn last
	Short    []string  // flags of a run of a second or two
	Endless  []string  // flags with which it would work for hours
	Reported string    // a part of what it reports before it draws
	Mistakes []Mistake // wrong command lines of its own, besides those that all have
	Stops    []Stop
}

// Stop is a Ctrl-C, and what comes of it.
type Stop struct {
	Lines int      // of the report, after which it comes; 0 if before the program begins
	Flags []string // with which the program would go on
	Says  []string // what the report matches
	Look  func(t *testing.T, report string)
}

// common are wrong command lines of every example that learns something.
var common = []Mistake{
	{Name: "no such flag", Args: []string{"-rat=3"}, Says: "flag provided but not defined: -rat"},
	{Name: "a rate of zero", Args: []string{"-rate=0"}, Says: "flag -rate: 0 is not allowed"},
	{Name: "a rate that is no number", Args: []string{"-rate=NaN"}, Says: "flag -rate: NaN is not allowed"},
	{Name: "a negative seed", Args: []string{"-seed=-1"}, Says: `invalid value "-1" for flag -seed`},
	{Name: "an argument", Args: []string{"train"}, Says: `unexpected argument "train"`},
}

// Test runs what such an example has to pass.
func (e Training) Test(t *testing.T) {
	t.Run("the same seed gives the same result", func(t *testing.T) { SameSeed(t, e.Program, e.Pictures, e.Short...) })
	t.Run("wrong flags", func(t *testing.T) { Mistakes(t, e.Program, append(e.Mistakes, common...)) })
	t.Run("an unwritable folder", func(t *testing.T) { UnwritableFolder(t, e.Program, e.Endless...) })
	t.Run("a picture that cannot be saved", func(t *testing.T) {
		UnsavablePicture(t, e.Program, e.Pictures[len(e.Pictures)-1], e.Reported, e.Short...)
	})
	for _, s := range e.Stops {
		name := "interrupted"
		if s.Lines == 0 {
			name = "interrupted before it began"
		}
		t.Run(name, func(t *testing.T) {
			report, folder := Interrupted(t, s.Lines, e.Program, s.Flags...)
			for _, says := range s.Says {
				assert.Regexp(t, says, report)
			}
			if s.Look != nil {
				s.Look(t, report)
			}
			Pictures(t, report, folder, e.Pictures...)
		})
	}
}
