package sandbox

import (
	"strconv"
	"strings"
)

// seatbelt are the words of sandbox-exec: a profile in which the last rule that fits counts. It has no namespaces, so
// other processes are seen, and cannot be signalled.
func seatbelt(b Box, command []string, _ string) []string {
	return append([]string{"-p", profile(b)}, command...)
}

func profile(b Box) string {
	var p strings.Builder
	rule := func(verdict, what string, paths ...string) {
		p.WriteString("(" + verdict + " " + what)
		for _, path := range paths {
			p.WriteString(" (subpath " + strconv.Quote(path) + ")")
		}
		p.WriteString(")\n")
	}
	p.WriteString("(version 1)\n")
	rule("allow", "default")
	rule("deny", "file-write*")
	rule("deny", "signal (target others)")
	rule("deny", "process-info* (target others)")
	rule("deny", "appleevent-send")
	if !b.Network {
		rule("deny", "network*")
		if len(b.Sockets) > 0 {
			rule("allow", "network-outbound", b.Sockets...)
		}
	}
	rule("deny", "file-read*", "/Users", b.Home, "/private/var/run")
	some := func(verdict, what string, paths []string) {
		if len(paths) > 0 {
			rule(verdict, what, paths...)
		}
	}
	some("allow", "file-read*", append(b.Read, b.Write...))
	some("allow", "file-write*", append([]string{"/private/tmp", "/dev"}, b.Write...))
	some("deny", "file-write*", b.Keep)
	some("deny", "file-read* file-write*", b.Hide)
	some("allow", "file-read*", append(b.Show, b.Sockets...))
	return p.String()
}
