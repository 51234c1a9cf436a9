package main

import (
	"go/build"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/pkg/errors"
)

// readWords reads the words of a file, of the files *.txt in a folder, or, without a
// path, of the comments in Go's standard library, and says where they are from.
func readWords(path string) (words []string, source string, err error) {
	if path == "" {
		words, err = readComments(filepath.Join(build.Default.GOROOT, "src"))
		return words, "comments in Go's standard library", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", errors.Wrap(err, "flag -text")
	}
	files := []string{path}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.txt")); err != nil || len(files) == 0 {
			return nil, "", errors.Errorf("flag -text: there are no files *.txt in %s", path)
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, "", errors.Wrap(err, "flag -text")
		}
		words = append(words, split(string(text))...)
	}
	return words, path, nil
}

// split is the words of a text, in small letters. An apostrophe within a word
// belongs to it.
func split(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\'' && r != '’'
	})
	kept := words[:0]
	for _, w := range words {
		if w = strings.Trim(w, "'’"); w != "" {
			kept = append(kept, strings.ReplaceAll(w, "’", "'"))
		}
	}
	return kept
}

// readComments reads the words of all comments below a folder, but for those of
// tests and of what Go has taken over from others, and the licence at the top.
func readComments(root string) (words []string, err error) {
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch base := entry; {
		case err != nil:
			return err
		case base.IsDir() && (base.Name() == "testdata" || base.Name() == "vendor"):
			return fs.SkipDir
		case base.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		words = append(words, comments(text)...)
		return nil
	})
	if err != nil || len(words) == 0 {
		return nil, errors.Errorf("Go's own library is not at %q: give a text by -text (%v)", root, err)
	}
	return words, nil
}

// comments is the words of a program's comments.
func comments(program []byte) (words []string) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(program)), program, func(token.Position, string) {}, scanner.ScanComments)
	for {
		_, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return words
		case kind != token.COMMENT, strings.HasPrefix(text, "//go:"), strings.Contains(text, "DO NOT EDIT"), strings.Contains(text, "Copyright"),
			strings.Contains(text, "BSD-style"), strings.Contains(text, "license that can be found"):
		default:
			words = append(words, split(text)...)
		}
	}
}
