//go:build unix

package main

import "syscall"

// apart puts a process into a session of its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
