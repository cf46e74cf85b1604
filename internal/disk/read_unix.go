//go:build unix

package disk

import "syscall"

// dontWait opens a pipe without waiting for the other end, and no terminal as the process's own.
const dontWait = syscall.O_NONBLOCK | syscall.O_NOCTTY

// ReadWhole reads a regular file of at most so many bytes in four calls: open, fstat, read, close. It follows no link
// in the last part of the path. It reports false for anything else, also for a file that is being written and for one
// that cannot be read: another function then finds out why.
func ReadWhole(path string, most int64) (data []byte, ok bool) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NOFOLLOW|dontWait, 0)
	if err != nil {
		return nil, false
	}
	defer func() { _ = syscall.Close(fd) }()
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFREG || stat.Size > most {
		return nil, false
	}
	data = make([]byte, stat.Size+1) // one byte more, to see that the file ends
	n, err := syscall.Read(fd, data)
	return data[:max(n, 0)], err == nil && int64(n) == stat.Size
}
