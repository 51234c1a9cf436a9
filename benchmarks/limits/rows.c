// What a processor can do at best that changes 4096 rows of 64 float32, from all over some
// arrays of a million rows in huge pages: the limit of a step of package embedding.
//
//	cc -O3 -mavx2 -o /tmp/rows rows.c && /tmp/rows [rows]
//
// Sixteen sets of ids take turns, as in the benchmarks. A row is read, a gradient is added
// to it, and it is written; there are no duplicates to be found, nor anything to be
// checked. The bytes of the rows, counted once as those of a copy are, stand beside what a
// copy past the caches moves.
#define _GNU_SOURCE
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { IDS = 4096, SETS = 16, AHEAD = 64, ROW = 256, ROUNDS = 8 };

typedef int64_t set[IDS + AHEAD]; // with room for what is prefetched behind the last
static set random_ids[SETS], sorted_ids[SETS], same_ids[SETS], one_id[SETS];
static char *gradients;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Memory in huge pages, if the system grants them, all of it written to.
static char *allocate(size_t n) {
  size_t page = 2 << 20;
  n = (n + page - 1) & ~(page - 1);
  char *p = mmap(0, n + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    perror("mmap");
    exit(1);
  }
  p += -(uintptr_t)p & (page - 1);
  madvise(p, n, MADV_HUGEPAGE);
  memset(p, 0, n);
  return p;
}

// What a change does besides adding: nothing, a root and a division as Adagrad and Adam, or
// stores past the caches.
enum change { ADD, DIVIDE, STREAM };

typedef struct {
  const char *name;
  int arrays, ahead;
  enum change change;
  set *ids;
} run;

static inline __attribute__((always_inline)) void change_rows(const run *r, int arrays, enum change change, const int64_t *ids, char **mem) {
  for (int t = 0; t < IDS; t++) {
    size_t row = ids[t] * ROW, far = ids[t + r->ahead] * ROW;
    if (r->ahead)
      for (int a = 0; a < arrays; a++)
        for (int i = 0; i < ROW; i += 64)
          _mm_prefetch(mem[a] + far + i, _MM_HINT_T1);
    for (int i = 0; i < ROW; i += 32) {
      __m256 g = _mm256_load_ps((float *)(gradients + t * ROW + i));
      for (int a = arrays - 1; a >= 0; a--) {
        float *w = (float *)(mem[a] + row + i);
        __m256 x = _mm256_add_ps(_mm256_load_ps(w), g);
        if (change == STREAM)
          _mm256_stream_ps(w, x);
        else
          _mm256_store_ps(w, x);
        if (change == DIVIDE && a == arrays - 1) // by the root of what was the last state
          g = _mm256_div_ps(g, _mm256_sqrt_ps(x));
      }
    }
  }
}

static void step(const run *r, const int64_t *ids, char **mem) {
  switch (r->arrays * 3 + r->change) {
  case 3 + ADD: change_rows(r, 1, ADD, ids, mem); break;
  case 6 + ADD: change_rows(r, 2, ADD, ids, mem); break;
  case 9 + ADD: change_rows(r, 3, ADD, ids, mem); break;
  case 6 + DIVIDE: change_rows(r, 2, DIVIDE, ids, mem); break;
  case 9 + DIVIDE: change_rows(r, 3, DIVIDE, ids, mem); break;
  case 9 + STREAM: change_rows(r, 3, STREAM, ids, mem); break;
  default: abort();
  }
}

// A copy past the caches, in pieces as the library copies: bytes a second.
static double copied(void) {
  size_t n = 64 << 20;
  char *from = allocate(n), *to = allocate(n);
  double best = 1e9;
  for (int round = 0; round < ROUNDS; round++) {
    double start = seconds();
    for (size_t i = 0; i < n; i += 32)
      _mm256_stream_si256((__m256i *)(to + i), _mm256_load_si256((__m256i *)(from + i)));
    _mm_sfence();
    double t = seconds() - start;
    best = t < best ? t : best;
  }
  return n / best;
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  size_t rows = argc > 1 ? strtod(argv[1], 0) : 1e6;
  uint64_t state = 88172645463325252u;
  for (int s = 0; s < SETS; s++) {
    for (int i = 0; i < IDS + AHEAD; i++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      random_ids[s][i] = sorted_ids[s][i] = state % rows;
    }
    qsort(sorted_ids[s], IDS + AHEAD, sizeof(int64_t), ascending);
    memcpy(same_ids[s], random_ids[0], sizeof(set));
  }
  gradients = allocate(IDS * ROW);
  for (int i = 0; i < IDS * ROW / 4; i++)
    ((float *)gradients)[i] = 0.5f + i % 1009 / 1009.f;
  char *mem[3];
  for (int a = 0; a < 3; a++)
    mem[a] = allocate(rows * ROW);
  double limit = copied();
  printf("a copy moves %.1f GB/s\n%-52s %7s %6s %9s\n", limit / 1e9, "", "us", "GB/s", "% of copy");
  const run runs[] = {
      {"1 array (SGD), not prefetched", 1, 0, ADD, random_ids},
      {"1 array (SGD), prefetched 16 rows ahead", 1, 16, ADD, random_ids},
      {"2 arrays (Adagrad), not prefetched", 2, 0, ADD, random_ids},
      {"2 arrays (Adagrad), prefetched 8 rows ahead", 2, 8, ADD, random_ids},
      {"2 arrays (Adagrad), 8 ahead, root and division", 2, 8, DIVIDE, random_ids},
      {"3 arrays (Adam), not prefetched", 3, 0, ADD, random_ids},
      {"3 arrays (Adam), prefetched 8 rows ahead", 3, 8, ADD, random_ids},
      {"3 arrays (Adam), prefetched 16 rows ahead", 3, 16, ADD, random_ids},
      {"3 arrays (Adam), 8 ahead, root and division", 3, 8, DIVIDE, random_ids},
      {"3 arrays (Adam), 8 ahead, ids in order", 3, 8, ADD, sorted_ids},
      {"3 arrays (Adam), 8 ahead, stored past the caches", 3, 8, STREAM, random_ids},
      {"3 arrays (Adam), 8 ahead, the same ids each step", 3, 8, DIVIDE, same_ids},
      {"3 arrays (Adam), the same row for all: arithmetic", 3, 8, DIVIDE, one_id},
  };
  int n = sizeof runs / sizeof *runs;
  double best[sizeof runs / sizeof *runs];
  for (int round = 0; round < ROUNDS; round++) // in turns, since others use the memory, too
    for (int i = 0; i < n; i++) {
      double start = seconds();
      for (int s = 0; s < SETS; s++)
        step(&runs[i], runs[i].ids[s], mem);
      double t = (seconds() - start) / SETS;
      best[i] = round == 0 || t < best[i] ? t : best[i];
    }
  for (int i = 0; i < n; i++) {
    double speed = (double)IDS * ROW * runs[i].arrays / best[i];
    printf("%-52s %7.0f %6.1f %9.0f\n", runs[i].name, best[i] * 1e6, speed / 1e9, 100 * speed / limit);
  }
}
