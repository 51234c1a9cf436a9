package ratings

import (
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// ReadCSV reads ratings: a line of names of columns, in any order, and one for each
// rating. Other columns than userId, movieId, rating and title are passed over.
// Without a title the file movies.csv in the same folder, which MovieLens has, is asked.
func ReadCSV(path string) (*Ratings, error) {
	r := &Ratings{}
	users, items := map[string]int{}, map[string]int{}
	number := func(of map[string]int, id string) int {
		n, known := of[id]
		if !known {
			n = len(of)
			of[id] = n
		}
		return n
	}
	titled := false
	err := eachLine(path, []string{"userId", "movieId", "rating"}, []string{"title"}, func(field []string) error {
		value, err := strconv.ParseFloat(strings.TrimSpace(field[2]), 32)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return errors.Errorf("the rating is %q, a number is needed", field[2])
		}
		if len(r.Value) == math.MaxInt32 {
			return errors.Errorf("more than %d ratings", math.MaxInt32)
		}
		item := number(items, field[1])
		r.add(int32(number(users, field[0])), int32(item), float32(value))
		if item == len(r.Titles) {
			r.Titles = append(r.Titles, field[3])
		}
		titled = titled || field[3] != ""
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.Users, r.Items = len(users), len(items); len(r.Value) < 100 || r.Users < 2 || r.Items < 2 {
		return nil, errors.Errorf("%s: %d ratings by %d users of %d films; 100, 2 and 2 are needed", path, len(r.Value), r.Users, r.Items)
	}
	if !titled {
		if titled, err = readTitles(filepath.Join(filepath.Dir(path), "movies.csv"), items, r.Titles); err != nil {
			return nil, err
		}
	}
	if !titled {
		r.Titles = nil
	}
	r.Source = fmt.Sprintf("%d ratings of %d films by %d users, from %s", len(r.Value), r.Items, r.Users, filepath.Base(path))
	return r, nil
}

// readTitles reads the titles of films, if there is such a file.
func readTitles(path string, items map[string]int, titles []string) (found bool, err error) {
	err = eachLine(path, []string{"movieId", "title"}, nil, func(field []string) error {
		if item, known := items[field[0]]; known {
			titles[item], found = field[1], true
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return found, err
}

// eachLine calls f with the wanted columns of each line: those needed, and then
// those that may be missing, which are empty then.
func eachLine(path string, needed, optional []string, f func(field []string) error) error {
	file, err := os.Open(path)
	if err != nil {
		return errors.Wrap(err, "reading ratings")
	}
	defer file.Close()
	reader := csv.NewReader(skipMark(file))
	reader.ReuseRecord = true
	header, err := reader.Read()
	if err != nil {
		return errors.Wrapf(err, "%s: the names of its columns", path)
	}
	var columns []int
	for i, name := range append(slices.Clone(needed), optional...) {
		column := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
		if column < 0 && i < len(needed) {
			return errors.Errorf("%s: it has the columns %s, and none is %s", path, cut(strings.Join(header, ", ")), name)
		}
		columns = append(columns, column)
	}
	field := make([]string, len(columns))
	for {
		record, err := reader.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errors.Wrap(err, path)
		}
		for i, column := range columns {
			field[i] = ""
			if column >= 0 {
				field[i] = strings.Clone(record[column]) // the line's memory is the next one's
			}
		}
		if err := f(field); err != nil {
			line, _ := reader.FieldPos(0)
			return errors.WithMessagef(err, "%s, line %d", path, line)
		}
	}
}

// skipMark reads over the mark of its byte order that some programs write in front
// of a file.
func skipMark(r io.ReadSeeker) io.Reader {
	mark := make([]byte, 3)
	if _, err := io.ReadFull(r, mark); err != nil || string(mark) != "\ufeff" {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return errReader{err}
		}
	}
	return r
}

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }

// cut is a text as long as a message can quote it.
func cut(text string) string {
	if r := []rune(text); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return text
}
