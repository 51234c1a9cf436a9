#include "loops.h"

#include <stdlib.h>
#include <string.h>

// Each operator as several loops. Those named _unchecked trust the indices, as
// the library must not; all others end at the first that is out of range. Sums of
// one target are in the order of the updates.

int call(loop f, work w, const float *in, float *out, const int64_t *index) {
	w.in = in, w.out = out, w.index = index;
	return f(&w);
}

static inline int outside(int64_t i, int64_t n) { return (uint64_t)i >= (uint64_t)n; }

// out[r, j] = in[r, index[r, j]]: GatherElements along the last axis, and with
// one row Gather of numbers.

int gather_plain(const work *w) {
	for (int64_t r = w->first; r < w->last; r++) {
		const float *in = w->in + r * w->line;
		const int64_t *index = w->index + r * w->n;
		float *out = w->out + r * w->n;
		for (int64_t j = 0; j < w->n; j++) {
			if (outside(index[j], w->line)) return 0;
			out[j] = in[index[j]];
		}
	}
	return 1;
}

int gather_unchecked(const work *w) {
	for (int64_t r = w->first; r < w->last; r++) {
		const float *in = w->in + r * w->line;
		const int64_t *index = w->index + r * w->n;
		float *out = w->out + r * w->n;
		for (int64_t j = 0; j < w->n; j++) out[j] = in[index[j]];
	}
	return 1;
}

// Four checks become one branch.
int gather_four(const work *w) {
	for (int64_t r = w->first; r < w->last; r++) {
		const float *in = w->in + r * w->line;
		const int64_t *index = w->index + r * w->n;
		float *out = w->out + r * w->n;
		int64_t j = 0;
		for (; j + 4 <= w->n; j += 4) {
			int64_t a = index[j], b = index[j + 1], c = index[j + 2], d = index[j + 3];
			if (outside(a, w->line) | outside(b, w->line) | outside(c, w->line) | outside(d, w->line)) return 0;
			out[j] = in[a], out[j + 1] = in[b], out[j + 2] = in[c], out[j + 3] = in[d];
		}
		for (; j < w->n; j++) {
			if (outside(index[j], w->line)) return 0;
			out[j] = in[index[j]];
		}
	}
	return 1;
}

// For few indices a row of data too long for a cache: what comes 16 rows later is
// asked for now.
int gather_ahead(const work *w) {
	for (int64_t r = w->first; r < w->last; r++) {
		if (r + 16 < w->last) {
			const float *in = w->in + (r + 16) * w->line;
			const int64_t *index = w->index + (r + 16) * w->n;
			for (int64_t j = 0; j < w->n; j++) __builtin_prefetch(in + index[j]);
		}
		const float *in = w->in + r * w->line;
		const int64_t *index = w->index + r * w->n;
		float *out = w->out + r * w->n;
		for (int64_t j = 0; j < w->n; j++) {
			if (outside(index[j], w->line)) return 0;
			out[j] = in[index[j]];
		}
	}
	return 1;
}

// out[r, index[r, j]] += in[r, j]: ScatterElements add along the last axis, and
// the gradient of GatherElements.

int add_plain(const work *w) {
	for (int64_t r = w->first; r < w->last; r++) {
		float *out = w->out + r * w->line;
		const int64_t *index = w->index + r * w->n;
		const float *in = w->in + r * w->n;
		for (int64_t j = 0; j < w->n; j++) {
			if (outside(index[j], w->line)) return 0;
			out[index[j]] += in[j];
		}
	}
	return 1;
}

int add_unchecked(const work *w) {
	for (int64_t r = w->first; r < w->last; r++) {
		float *out = w->out + r * w->line;
		const int64_t *index = w->index + r * w->n;
		const float *in = w->in + r * w->n;
		for (int64_t j = 0; j < w->n; j++) out[index[j]] += in[j];
	}
	return 1;
}

// Rows in step: no target of one is a target of another, so that a sum need not
// wait for the one before.
static inline int add_rows(const work *w, int64_t k) {
	int64_t r = w->first;
	for (; r + k <= w->last; r += k) {
		float *out = w->out + r * w->line;
		const int64_t *index = w->index + r * w->n;
		const float *in = w->in + r * w->n;
		for (int64_t j = 0; j < w->n; j++) {
			for (int64_t i = 0; i < k; i++) {
				int64_t x = index[i * w->n + j];
				if (outside(x, w->line)) return 0;
				out[i * w->line + x] += in[i * w->n + j];
			}
		}
	}
	work rest = *w;
	rest.first = r;
	return add_plain(&rest);
}

int add_two(const work *w) { return add_rows(w, 2); }
int add_four(const work *w) { return add_rows(w, 4); }

// All indices of a row are checked and narrowed first, which is vector code.
int add_offsets(const work *w) {
	enum { most = 4096 };
	uint32_t at[most];
	for (int64_t r = w->first; r < w->last; r++) {
		float *out = w->out + r * w->line;
		for (int64_t from = 0; from < w->n; from += most) {
			int64_t n = w->n - from < most ? w->n - from : most;
			const int64_t *index = w->index + r * w->n + from;
			const float *in = w->in + r * w->n + from;
			int bad = 0;
			for (int64_t j = 0; j < n; j++) {
				bad |= outside(index[j], w->line);
				at[j] = (uint32_t)index[j];
			}
			if (bad) return 0;
			for (int64_t j = 0; j < n; j++) out[at[j]] += in[j];
		}
	}
	return 1;
}

// off is how far behind to begin so that addresses do not differ by whole pages alone,
// which makes the processor take one for the other.
static int64_t off(const float *to, const float *from) {
	return (((uintptr_t)from + 2048 - (uintptr_t)to) & 4095) / sizeof *to;
}

// With the library's promise: a bad index changes nothing. A page of rows is copied
// before it is worked on, and copied back if an index behind it is out of range.
int add_or_nothing(const work *w) {
	enum { page = 4096 };
	static _Thread_local float *kept;
	static _Thread_local int64_t room;
	int64_t n = (w->last - w->first) * w->line;
	if (room < n) {
		free(kept);
		kept = malloc((n + 1024) * sizeof *kept);
		room = kept ? n : 0;
		if (!kept) return 0;
	}
	float *data = w->out + w->first * w->line, *old = kept + off(kept, data);
	int64_t rows = page / sizeof *data / w->line > 1 ? page / sizeof *data / w->line : 1;
	for (int64_t r = w->first; r < w->last; r += rows) {
		work part = *w;
		part.first = r, part.last = r + rows < w->last ? r + rows : w->last;
		int64_t at = (r - w->first) * w->line, end = (part.last - w->first) * w->line;
		memcpy(old + at, data + at, (end - at) * sizeof *data);
		if (!add_plain(&part)) {
			memcpy(data, old, end * sizeof *data);
			return 0;
		}
	}
	return 1;
}

int add_ahead(const work *w) {
	for (int64_t r = w->first; r < w->last; r++) {
		if (r + 16 < w->last) {
			float *out = w->out + (r + 16) * w->line;
			const int64_t *index = w->index + (r + 16) * w->n;
			for (int64_t j = 0; j < w->n; j++) __builtin_prefetch(out + index[j], 1);
		}
		float *out = w->out + r * w->line;
		const int64_t *index = w->index + r * w->n;
		const float *in = w->in + r * w->n;
		for (int64_t j = 0; j < w->n; j++) {
			if (outside(index[j], w->line)) return 0;
			out[index[j]] += in[j];
		}
	}
	return 1;
}

// out[r, index[j]] += in[r, j]: the gradient of Gather along the last axis. All
// rows have the same indices, which are checked once.

static int columns_checked(const work *w) {
	int bad = 0;
	for (int64_t j = 0; j < w->n; j++) bad |= outside(w->index[j], w->line);
	return !bad;
}

int columns_unchecked(const work *w) {
	for (int64_t r = w->first; r < w->last; r++) {
		float *out = w->out + r * w->line;
		const float *in = w->in + r * w->n;
		for (int64_t j = 0; j < w->n; j++) out[w->index[j]] += in[j];
	}
	return 1;
}

int columns_plain(const work *w) { return columns_checked(w) && columns_unchecked(w); }

int columns_two(const work *w) {
	if (!columns_checked(w)) return 0;
	int64_t r = w->first;
	for (; r + 2 <= w->last; r += 2) {
		float *out = w->out + r * w->line, *next = out + w->line;
		const float *in = w->in + r * w->n;
		for (int64_t j = 0; j < w->n; j++) {
			int64_t x = w->index[j];
			out[x] += in[j];
			next[x] += in[w->n + j];
		}
	}
	work rest = *w;
	rest.first = r;
	return columns_unchecked(&rest);
}

// out[index[i, 0], index[i, 1], index[i, 2]] += in[i]: ScatterND add of numbers.
// With several threads each walks all tuples, and adds those whose target is its
// own, from low to before high.

static inline int64_t target(const work *w, int64_t i) {
	const int64_t *t = w->index + 3 * i;
	return (t[0] * w->dims[1] + t[1]) * w->dims[2] + t[2];
}

static inline int bad_tuple(const work *w, int64_t i) {
	const int64_t *t = w->index + 3 * i;
	return outside(t[0], w->dims[0]) | outside(t[1], w->dims[1]) | outside(t[2], w->dims[2]);
}

static inline int owns(const work *w, int64_t at) { return (uint64_t)(at - w->low) < (uint64_t)(w->high - w->low); }

int tuples_plain(const work *w) {
	for (int64_t i = w->first; i < w->last; i++) {
		if (bad_tuple(w, i)) return 0;
		int64_t at = target(w, i);
		if (owns(w, at)) w->out[at] += w->in[i];
	}
	return 1;
}

int tuples_unchecked(const work *w) {
	for (int64_t i = w->first; i < w->last; i++) {
		int64_t at = target(w, i);
		if (owns(w, at)) w->out[at] += w->in[i];
	}
	return 1;
}

int tuples_offsets(const work *w) {
	enum { most = 1024 };
	int64_t at[most];
	for (int64_t from = w->first; from < w->last; from += most) {
		int64_t n = w->last - from < most ? w->last - from : most;
		int bad = 0;
		for (int64_t i = 0; i < n; i++) {
			bad |= bad_tuple(w, from + i);
			at[i] = target(w, from + i);
		}
		if (bad) return 0;
		for (int64_t i = 0; i < n; i++)
			if (owns(w, at[i])) w->out[at[i]] += w->in[from + i];
	}
	return 1;
}

int tuples_ahead(const work *w) {
	enum { most = 1024, ahead = 24 };
	int64_t at[most + ahead];
	for (int64_t from = w->first; from < w->last; from += most) {
		int64_t n = w->last - from < most ? w->last - from : most;
		int bad = 0;
		for (int64_t i = 0; i < n; i++) {
			bad |= bad_tuple(w, from + i);
			at[i] = target(w, from + i);
		}
		if (bad) return 0;
		for (int64_t i = n; i < n + ahead; i++) at[i] = at[n - 1];
		for (int64_t i = 0; i < n; i++) {
			__builtin_prefetch(w->out + at[i + ahead], 1);
			if (owns(w, at[i])) w->out[at[i]] += w->in[from + i];
		}
	}
	return 1;
}
