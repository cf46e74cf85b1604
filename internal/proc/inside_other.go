//go:build !linux && !darwin && !windows

package proc

import "errors"

// Inside returns an error: there is no /proc here that shows the folders of processes.
func Inside(string) ([]Process, error) {
	return nil, errors.New("this system does not show in which folders processes work")
}
