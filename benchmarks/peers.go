package main

import _ "embed"

// peersScript runs the cases in PyTorch or OpenVINO, at the other end of a
// [Remote].
//
//go:embed peers.py
var peersScript string
