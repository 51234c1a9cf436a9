package ratings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is made up one after the other is what is made up in memory, each time.
func TestMadeUp(t *testing.T) {
	r := Generate(3, 50, 20, 1000)
	for range 2 {
		assert.Equal(t, slices.Collect(r.All()), slices.Collect(MadeUp(3, 50, 20, 1000)))
	}
	assert.NotEqual(t, slices.Collect(r.All()), slices.Collect(MadeUp(4, 50, 20, 1000)))
	d := Split(r, 3)
	next := Parts(3)
	var of [3]int
	for range r.Value {
		of[next()]++
	}
	assert.Equal(t, [3]int{len(d.Train), len(d.Valid), len(d.Held)}, of)
}

// Ratings from a file, with titles in it, beside it, or nowhere.
func TestReadCSV(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, lines ...string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666))
		return path
	}
	var plain, titled []string
	for k := range 120 {
		user, film := 700+k%10, 5+k%12
		plain = append(plain, fmt.Sprintf("%d,%d,%.1f,%d", user, film, float64(k%10)/2, 1000+k))
		titled = append(titled, fmt.Sprintf(`%.1f,"Film, %d",%d, %d`, float64(k%10)/2, film, film, user))
	}
	ours, err := ReadCSV(write("titled.csv", append([]string{"\ufeffrating,Title,movieID, userid"}, titled...)...))
	require.NoError(t, err)
	assert.Equal(t, 10, ours.Users)
	assert.Equal(t, 12, ours.Items)
	assert.Equal(t, "Film, 5", ours.Titles[0])
	assert.Equal(t, []float32{0, 0.5, 1}, ours.Value[:3])
	assert.Equal(t, "120 ratings of 12 films by 10 users, from titled.csv", ours.Source)

	path := write("ratings.csv", append([]string{"userId,movieId,rating,timestamp"}, plain...)...)
	theirs, err := ReadCSV(path)
	require.NoError(t, err)
	assert.Nil(t, theirs.Titles)
	assert.Equal(t, ours.User, theirs.User)
	assert.Equal(t, ours.Item, theirs.Item)
	write("movies.csv", "movieId,title,genres", `6,"Six, The",Drama`, "99,Unknown,Drama")
	theirs, err = ReadCSV(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"", "Six, The", ""}, theirs.Titles[:3])

	for name, c := range map[string]struct {
		lines []string
		text  string
	}{
		"empty":            {nil, "the names of its columns: EOF"},
		"no column":        {[]string{"user,movieId,rating"}, "it has the columns user, movieId, rating, and none is userId"},
		"no rating":        {append([]string{"userId,movieId,rating,timestamp", "1,2,good,3"}, plain...), `line 2: the rating is "good"`},
		"not a number":     {append([]string{"userId,movieId,rating,timestamp", "1,2,NaN,3"}, plain...), "line 2: the rating"},
		"a field too many": {append([]string{"userId,movieId,rating,timestamp", "1,2,3,4,5"}, plain...), "wrong number of fields"},
		"few":              {[]string{"userId,movieId,rating", "1,2,3"}, "1 ratings by 1 users of 1 films; 100, 2 and 2 are needed"},
	} {
		_, err := ReadCSV(write("wrong.csv", c.lines...))
		assert.ErrorContains(t, err, c.text, name)
	}
	_, err = ReadCSV(filepath.Join(folder, "none.csv"))
	assert.ErrorContains(t, err, "no such file")
}

// The baselines are what their formulas say.
func TestBaselines(t *testing.T) {
	d := &Data{Ratings: &Ratings{Users: 2, Items: 2}, Least: 1, Most: 5, Mean: 3}
	for _, r := range [][3]int{{0, 0, 5}, {0, 1, 3}, {1, 0, 2}, {1, 1, 2}} {
		d.add(int32(r[0]), int32(r[1]), float32(r[2]))
	}
	d.Train, d.Valid, d.Held = []int32{0, 1, 2, 3}, []int32{0}, []int32{0, 3}
	b := NewBaselines(d)
	assert.InDelta(t, 1.5811, b.Global, 1e-4)
	// 4 + 3.5 - 3 = 4.5 for 5, and 2 + 2.5 - 3 = 1.5 for 2.
	assert.InDelta(t, 0.5, b.Means, 1e-6)
	user, item := d.biases(1e9)
	assert.InDelta(t, 0, user[0]+item[0], 1e-6, "pulled to zero")
}
