//go:build unix

package trust

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedAlone reports whether nobody but this user, and root, may write to a file or folder.
func ownedAlone(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	mine := ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
	return mine && info.Mode().Perm()&0o022 == 0
}
