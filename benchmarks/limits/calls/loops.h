#include <stdint.h>

// A work is one call, or with first and last a share of it. Which memory counts
// what stands at the loops.
typedef struct {
	const float *in;      // data of a gather, updates of a sum
	float *out;           // result of a gather, data of a sum
	const int64_t *index; // one after the other, none negative
	int64_t first, last;  // rows, or tuples, of this share
	int64_t n;            // indices a row
	int64_t line;         // numbers a row of data
	int64_t dims[3];      // of data, for tuples
	int64_t low, high;    // of data, for tuples: what lies outside belongs to others
} work;

// A loop does its share, and tells whether all indices were in range.
typedef int (*loop)(const work *);

// call gives the loop its memory, since Go may not hide pointers in a struct.
int call(loop f, work w, const float *in, float *out, const int64_t *index);

int gather_plain(const work *w);
int gather_unchecked(const work *w);
int gather_four(const work *w);
int gather_ahead(const work *w);

int add_plain(const work *w);
int add_unchecked(const work *w);
int add_two(const work *w);
int add_four(const work *w);
int add_offsets(const work *w);
int add_or_nothing(const work *w);
int add_ahead(const work *w);

int columns_plain(const work *w);
int columns_unchecked(const work *w);
int columns_two(const work *w);

int tuples_plain(const work *w);
int tuples_unchecked(const work *w);
int tuples_offsets(const work *w);
int tuples_ahead(const work *w);
