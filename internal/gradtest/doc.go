// Package gradtest holds checks of gradients, for tests only.
//
// AdjointIdentity needs no tolerance and is the first choice for a linear operator and its adjoint. Differences compares a
// gradient with central differences of any function. Graph builds a Gorgonia graph, runs it on TapeMachine and LispMachine
// with the same cotangent, and compares both with each other and with differences.
//
// Every check draws a random cotangent u and differentiates <out, u>. The sum of the output, which is u = 1 everywhere, would
// accept a gradient whose rows are permuted.
//
// All checks return an error rather than take a *testing.T, so that a test can show them fail on a wrong gradient.
package gradtest
