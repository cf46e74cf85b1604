//go:build !windows

package main

import (
	"io"
	"os"
)

// terminal opens the terminal that controls the process, which its streams need not be. A process without one, such as a
// server's or one in a session of its own, gets an error.
func terminal() (io.ReadWriteCloser, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }
