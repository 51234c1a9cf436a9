// Package embedding compares the tables and optimisers of package embedding of the
// library with PyTorch's. It has tests only.
package embedding
