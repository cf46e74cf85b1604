package sandbox

import "slices"

// bwrapBase has a box no right of its own: no capability, no namespace of the user's, no terminal, and it ends with cairn.
func bwrapBase() []string {
	return []string{"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net",
		"--disable-userns", "--cap-drop", "ALL", "--die-with-parent", "--new-session"}
}

// bwrap are the words of bubblewrap. What comes later covers what comes before: the system is there to be read, home
// folders, temporary ones and sockets are empty, then what is shown and writable comes, and last what in that is kept and
// hidden.
func bwrap(b Box, command []string, dir string) []string {
	words := bwrapBase()
	if b.Network {
		words = slices.DeleteFunc(words, func(w string) bool { return w == "--unshare-net" })
	}
	words = append(words, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
		"--remount-ro", "/proc") // settings of the kernel belong to root, who needs no capability to write them
	for _, path := range slices.Concat([]string{tmp, "/var/tmp", "/run", "/home", "/root", "/mnt", "/media"}, []string{b.Home}) {
		if isDir(path) && path != "/" {
			words = append(words, "--tmpfs", path)
		}
	}
	if b.Network { // the names of hosts are looked up by a file that is often a link into /run
		words = append(words, "--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve")
	}
	each := func(word string, paths []string) {
		for _, path := range paths {
			words = append(words, word, path, path)
		}
	}
	each("--ro-bind", b.Read)
	each("--bind", b.Write)
	each("--ro-bind", b.Keep)
	for _, path := range b.Hide {
		words = append(words, "--tmpfs", path)
	}
	each("--ro-bind", b.Show)
	for _, path := range b.Hide {
		words = append(words, "--remount-ro", path)
	}
	each("--ro-bind", b.Sockets) // to connect is no write
	return append(append(words, "--chdir", dir, "--"), command...)
}
