package main

// The karate club of W. W. Zachary, "An Information Flow Model for Conflict and
// Fission in Small Groups", Journal of Anthropological Research 33 (1977): 34
// members, the 78 friendships among them, and the two clubs they went to when
// the club split over a quarrel between its instructor and its president.
//
// Members have numbers from 1, as in the paper.
const (
	members    = 34
	instructor = 1  // "Mr. Hi"
	president  = 34 // "John A."
)

// The two factions, named by those whose side they took.
const (
	withInstructor = 0
	withPresident  = 1
	factions       = 2
)

// friends[m] are the friends of member m with a higher number.
var friends = map[int][]int{
	1:  {2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32},
	2:  {3, 4, 8, 14, 18, 20, 22, 31},
	3:  {4, 8, 9, 10, 14, 28, 29, 33},
	4:  {8, 13, 14},
	5:  {7, 11},
	6:  {7, 11, 17},
	7:  {17},
	9:  {31, 33, 34},
	10: {34},
	14: {34},
	15: {33, 34},
	16: {33, 34},
	19: {33, 34},
	20: {34},
	21: {33, 34},
	23: {33, 34},
	24: {26, 28, 30, 33, 34},
	25: {26, 28, 32},
	26: {32},
	27: {30, 34},
	28: {34},
	29: {32, 34},
	30: {33, 34},
	31: {33, 34},
	32: {33, 34},
	33: {34},
}

// instructorsSide are the members who joined the instructor's new club; the
// others stayed with the president. Of member 9 the paper says that he leaned
// to the president, and went with the instructor all the same, three weeks
// before his test for black belt.
var instructorsSide = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22}

// friendship is a pair of members, the lower number first.
type friendship struct{ a, b int }

// friendships lists each pair once, in order.
func friendships() []friendship {
	var list []friendship
	for m := 1; m <= members; m++ {
		for _, f := range friends[m] {
			list = append(list, friendship{m, f})
		}
	}
	return list
}

// sides returns the faction of each member; that of member m is at m-1.
func sides() []int {
	list := make([]int, members)
	for i := range list {
		list[i] = withPresident
	}
	for _, m := range instructorsSide {
		list[m-1] = withInstructor
	}
	return list
}
