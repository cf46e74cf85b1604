package main

import "os/exec"

// ownGroup does nothing: on Windows only the command itself is ended.
func ownGroup(*exec.Cmd) {}
