package remote

import (
	"cmp"
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Probe finds out what the remote allows in the namespace, with throw-away refs, and remembers it. It pushes two or
// three times and fetches once. It returns OFFLINE if the remote gives no answer.
func (c *Claims) Probe(ctx context.Context) (session.Probe, error) {
	t, err := c.begin(ctx)
	if err != nil {
		return session.Probe{}, err
	}
	defer t.end()
	p := probing{turn: t, found: session.Probe{At: t.Now().UTC()}}
	if err := p.run(ctx); err != nil {
		return p.found, err
	}
	if t.Try == "" {
		t.shared.Probe = &p.found
	}
	return p.found, t.save()
}

// probing tries what a remote allows.
type probing struct {
	*turn
	refs    [2]string
	objects [2]string
	found   session.Probe
}

func (p *probing) run(ctx context.Context) error {
	for i := range p.refs {
		token, err := p.token()
		if err != nil {
			return err
		}
		p.refs[i] = "probe" + kindMark + token // which is about no record, so that nobody takes it for a claim
		if p.objects[i], err = p.port.Commit(ctx, "a probe by cairn: "+token, p.Now()); err != nil {
			return err
		}
	}
	created, err := p.create(ctx)
	if err != nil || created == 0 {
		return err
	}
	p.found.Creates = true
	listed := p.list(ctx)
	var away []git.RefUpdate
	for i := range created {
		away = append(away, git.RefUpdate{Ref: p.refs[i], Old: p.objects[i]})
	}
	got, err := p.push(context.WithoutCancel(ctx), away, false)
	if p.found.Deletes = got.taken() == created; !p.found.Deletes {
		p.found.Said = shown(got.words())
	}
	return cmp.Or(listed, err)
}

// create makes both refs at once, or else one of them, and returns how many there are.
func (p *probing) create(ctx context.Context) (int, error) {
	both := []git.RefUpdate{{Ref: p.refs[0], New: p.objects[0]}, {Ref: p.refs[1], New: p.objects[1]}}
	got, err := p.push(ctx, both, true)
	if err != nil {
		return 0, err
	}
	if got.taken() == 2 {
		p.found.Atomic = true
		return 2, nil
	}
	if got, err = p.push(ctx, both[:1], false); err != nil {
		return 0, err
	}
	said, taken := got.words(), got.taken()
	if p.found.Said = shown(said); taken == 0 && !denied(said) { // no answer, perhaps, which a fetch tells
		return 0, p.list(ctx)
	}
	return taken, nil
}

// list asks for the refs, and looks whether the first is there.
func (p *probing) list(ctx context.Context) error {
	if err := p.spend(ctx); err != nil {
		return err
	}
	refs, err := p.port.Fetch(ctx)
	if err != nil {
		return p.offline(ctx, err)
	}
	for _, r := range refs {
		p.found.Lists = p.found.Lists || r.Name == p.refs[0]
	}
	if p.Try == "" {
		p.shared = p.shared.Fetched(seenClaims(refs), p.Now())
	}
	return nil
}

// Verdict is what follows from a probe: OFFLINE, with a hint, or nil if claims can be held.
func Verdict(p session.Probe, c kind.Claims) error {
	if p.Allows() {
		return nil
	}
	var lacks []string
	for _, one := range []struct {
		does bool
		what string
	}{{p.Creates, "create refs"}, {p.Lists, "list them"}, {p.Deletes, "delete them"}} {
		if !one.does {
			lacks = append(lacks, one.what)
		}
	}
	err := record.Errorf(record.Offline, "the git remote %s does not take claims below %s: it does not %s%s", c.Remote, c.Namespace, strings.Join(lacks, ", "), prefixed(": ", p.Said))
	if !strings.HasPrefix(c.Namespace, "refs/heads/") && !p.Creates {
		set := record.CallTo("settings_set", "key", "claims_namespace", "value", "refs/heads/cairn/claims").ByPerson()
		return err.WithHint("some hosts take branches only: %s, then probe again", set)
	}
	return err.WithHint("ask whoever runs the remote to allow it, or leave claims to each clone: claims_remote: none")
}
