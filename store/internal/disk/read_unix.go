//go:build unix

package disk

import "syscall"

// dontWait opens a pipe without waiting for the other end, and no terminal as the process's own.
const dontWait = syscall.O_NONBLOCK | syscall.O_NOCTTY
