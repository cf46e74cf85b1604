package kind

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Claims is how claims hold among clones, through a git remote.
type Claims struct {
	Remote    string // name of the remote; "" if claims hold in each clone alone
	Namespace string // below which the refs of the claims are
	Offline   string // what is done if the remote gives no answer
}

// What Offline can be.
const (
	OfflineAuto   = "auto"   // agents refuse, and people go on
	OfflineRefuse = "refuse" // nobody takes a task
	OfflineAllow  = "allow"  // everybody takes tasks, which are shown as not synced
)

// On reports whether claims hold among clones.
func (c Claims) On() bool { return c.Remote != "" }

// Key names the remote and the namespace.
func (c Claims) Key() string { return c.Remote + " " + c.Namespace }

// Alone reports whether an actor makes a claim that the remote does not know of, if that gives no answer.
func (c Claims) Alone(who record.Actor) bool {
	return c.Offline == OfflineAllow || c.Offline == OfflineAuto && who.Human()
}

const defaultNamespace = "refs/cairn/claims"

// claims reads how claims hold among clones. The namespace is cairn's own, so that a config can name no branch of
// anybody else.
func (r *configReader) claims() {
	if n := r.get("claims_remote"); n != nil {
		if r.c.Claims.Remote = r.text("claims_remote", n); r.c.Claims.Remote == "none" {
			r.c.Claims.Remote = ""
		}
		if name := r.c.Claims.Remote; name != "" && (!record.IsWord(name, "._-/") || name[0] == '-' || strings.Contains(name, "..") || len(name) > 100) {
			r.fail(n, "claims_remote must be the name of a git remote, such as origin, or none, not %q", name)
		}
	}
	if n := r.get("claims_namespace"); n != nil {
		if r.c.Claims.Namespace = r.text("claims_namespace", n); !IsNamespace(r.c.Claims.Namespace) {
			r.fail(n, "claims_namespace must be refs/cairn/NAME, or refs/heads/cairn/NAME or refs/tags/cairn/NAME for hosts that take no others, not %q", r.c.Claims.Namespace)
		}
	}
	if n := r.get("claims_offline"); n != nil {
		if r.c.Claims.Offline = r.text("claims_offline", n); !slices.Contains([]string{OfflineAuto, OfflineRefuse, OfflineAllow}, r.c.Claims.Offline) {
			r.fail(n, "claims_offline must be auto, refuse or allow, not %q", r.c.Claims.Offline)
		}
	}
}

// IsNamespace accepts a name of refs below which cairn may write.
func IsNamespace(name string) bool {
	if len(name) > 200 || !record.IsWord(name, "/_-") || strings.HasSuffix(name, "/") || strings.Contains(name, "//") {
		return false
	}
	for _, own := range []string{"refs/cairn/", "refs/heads/cairn/", "refs/tags/cairn/"} {
		if rest, ok := strings.CutPrefix(name, own); ok {
			return rest != "" && rest != "remote" && !strings.HasPrefix(name, "refs/cairn/remote/")
		}
	}
	return false
}

// RemoteClaims is where each clone keeps its copy of the claims of the remote, and RemoteProbe that of a probe of
// another namespace.
const (
	RemoteClaims = "refs/cairn/remote/claims"
	RemoteProbe  = "refs/cairn/remote/probe"
)
