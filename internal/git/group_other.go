//go:build !unix

package git

import "os/exec"

// withoutTerminal leaves a command as it is: there are no sessions here.
func withoutTerminal(*exec.Cmd) {}

func onTerminal(*exec.Cmd) {}
