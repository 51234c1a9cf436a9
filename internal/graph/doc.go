// Package graph says once what the graph operators of this module say alike. An
// operator embeds [Operator], made of a [Description], which gives Gorgonia all its
// answers but the operator's gradient. Beside it stand the checks of nodes that
// functions for users need, the way between Gorgonia's values and tensors, the
// gradients that LispMachine keeps, and the wording of a run's errors.
package graph
