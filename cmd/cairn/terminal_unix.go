//go:build !windows

package main

import (
	"io"
	"os"
)

// terminal opens the controlling terminal of the process, even if its streams are redirected. It returns an error if
// there is none, as for a daemon.
func terminal() (io.ReadWriteCloser, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }
