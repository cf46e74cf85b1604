package cmd

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/internal/user/trust"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

// trustResult is whether a workspace is trusted, and the commands that may run then.
type trustResult struct {
	Workspace string          `json:"workspace"`
	Trusted   bool            `json:"trusted"`
	From      string          `json:"trusted_from,omitempty"` // the remote-tracking branch whose commands may run too
	Commands  []store.Command `json:"commands"`
}

type trustCommand struct {
	*call
	trustIn
}

type trustIn struct {
	Dir    string `json:"dir,omitempty" doc:"with --revoke: the workspace" cli:"arg"`
	Yes    bool   `json:"yes,omitempty" doc:"do not ask; for a person who has read them"`
	Revoke bool   `json:"revoke,omitempty" doc:"take the consent back"`
	From   string `json:"from,omitempty" doc:"let whatever the files of this remote-tracking BRANCH hold run too, now and after each fetch; none ends that" cli:"value=BRANCH" from:"remote-branches"`
	InRepo string `json:"in_repo,omitempty" doc:"let them run in the repository NAME of the config too, which lies outside of this one" cli:"value=NAME" from:"repos"`
	List   bool   `json:"list,omitempty" doc:"list the clones that you trusted on this machine"`
}

func trustCommands() []command {
	return append([]command{declare(command{
		name:  "trust",
		usage: "Let the commands of this clone's checks run on this machine; lists those that are new and asks first.",
		group: "workspace",
		about: "What is there now may run from then on, and so may what you and your agents write\n" +
			"here with cairn. A command that comes another way, such as by a pull, is new: at a\n" +
			"terminal you are asked about it once, before it runs.\n" +
			"DIR goes with --revoke: the workspace that is not to be trusted any more, if it is not this one. It may be gone.\n" +
			"--list shows every clone that was trusted: trusted, gone, replaced by another clone at the same path, or unknown if\n" +
			"its folder cannot be read. Only the first may run commands.",
	}, func(ctx context.Context, c *call, in trustIn) error { return trustCommand{c, in}.run(ctx) })}, signerCommands()...)
}

func (p trustCommand) run(ctx context.Context) error {
	switch inRepo, from := p.line.IsSet("in-repo"), p.line.IsSet("from"); {
	case p.List && p.Revoke || (inRepo || from) && (p.List || p.Revoke) || inRepo && from:
		return usage("--list, --revoke, --from and --in-repo do not go together").
			WithHint("cairn help trust; --revoke takes the folder of a repository")
	case p.Dir != "" && !p.Revoke:
		return usage("does not take the argument %q", p.Dir).WithHint("cairn help trust")
	case p.List:
		return p.list()
	case p.Revoke:
		return p.revoke()
	}
	w, s, err := p.open(ctx)
	if err != nil {
		return err
	}
	commands, err := s.CommandsToCome(ctx, s)
	if err != nil {
		return err
	}
	if p.line.IsSet("in-repo") {
		return p.giveRepo(ctx, w.Actor(), s, commands)
	}
	from := s.TrustedFrom()
	if p.line.IsSet("from") {
		if from, err = p.branch(ctx, s); err != nil {
			return err
		}
	}
	if err := p.give(ctx, w.Actor(), s, commands, from); err != nil {
		return err
	}
	projects.Note(ctx, w, s)
	p.show(trustResult{s.Root, true, from, commands})
	return nil
}

// branch is the branch that --from names; "" for none.
func (p trustCommand) branch(ctx context.Context, s *store.Store) (string, error) {
	if p.From == "none" {
		return "", nil
	}
	return s.RemoteBranch(ctx, p.From)
}

// give trusts the clone and lets the commands run, after the person has seen those that may not yet. It asks nothing if
// there is nothing to consent to.
func (p trustCommand) give(
	ctx context.Context, who record.Actor, s *store.Store, commands []store.Command, from string,
) error {
	trusted, left := s.Trusted(), s.Unapproved(ctx, commands)
	more := from != "" && from != s.TrustedFrom()
	if !trusted || len(left) > 0 || more {
		asks := []task.Ask{}
		if !trusted || len(left) > 0 {
			asks = append(asks, task.TrustAsk(who, s.Root))
		}
		if more {
			asks = append(asks, task.TrustFromAsk(who, from))
		}
		if err := p.consent(ctx, asks, left); err != nil {
			return err
		}
		if err := s.SetTrust(who, p.Now()); err != nil {
			return err
		}
	}
	if from != s.TrustedFrom() {
		if err := s.TrustFrom(from); err != nil {
			return err
		}
	}
	return s.Approve(left)
}

// giveRepo lets the commands run in another repository that the config names. They come from this workspace, which is
// trusted first.
func (p trustCommand) giveRepo(ctx context.Context, who record.Actor, s *store.Store, commands []store.Command) error {
	files, err := s.Files(task.Task{Repo: p.InRepo})
	if err != nil {
		return err
	}
	if !s.Trusted() {
		return record.Errorf(record.Untrusted, "the commands of this workspace may not run here either").WithHint("first %s", record.CallTo("trust"))
	}
	left := s.Unapproved(ctx, commands)
	if !files.Trusted() || len(left) > 0 {
		if err := p.consent(ctx, []task.Ask{task.TrustAsk(who, files.Root)}, left); err != nil {
			return err
		}
		if err := files.Trust(who, p.Now()); err != nil {
			return err
		}
		if err := s.Approve(left); err != nil {
			return err
		}
	}
	p.show(trustResult{files.Root, true, "", commands})
	return nil
}

// revoke revokes the consent for this workspace, also if there is none or its config cannot be read; or for a folder that
// is named, which may be gone. Of that it returns NOT_FOUND if there is no consent.
func (p trustCommand) revoke() error {
	root := p.abs(p.Dir)
	if p.Dir == "" {
		l, err := p.layout()
		if err != nil {
			return err
		}
		root = l.Root
	}
	revoked, err := trust.Revoke(p.stateDir(), root)
	switch {
	case err != nil || p.Dir == "":
	case len(revoked) == 0:
		err = record.Errorf(record.NotFound, "no consent was given at %s", root).WithHint("cairn trust --list shows where")
	default:
		root = revoked[0].Workspace
	}
	if err == nil {
		p.show(trustResult{Workspace: root, Commands: []store.Command{}})
	}
	return err
}

type consents struct {
	Clones []trust.Consent `json:"clones" result:"rows"`
}

func (p trustCommand) list() error {
	clones, err := trust.Consents(p.stateDir())
	if err == nil {
		p.show(consents{clones})
	}
	return err
}

// consent shows the commands that may not run yet, and has the person at the terminal approve them unless --yes is set.
// Only a person can consent.
func (p trustCommand) consent(ctx context.Context, asks []task.Ask, commands []store.Command) error {
	if asks[0].Who == "" {
		return verb.Nobody()
	}
	if who := asks[0].Who; !who.Human() {
		return record.Errorf(record.Forbidden, "%s cannot approve commands", who).WithHint("a person runs cairn trust")
	}
	if err := p.personHere("approve commands"); err != nil {
		return err
	}
	switch {
	case p.json:
	case len(commands) == 0:
		p.printf("No file here holds a command that is new.\n")
	default:
		p.printf("%s", screen.Painted(shownCommands("These commands would run on this machine when tasks are checked, "+
			"or when a work tree is made ready:", commands)))
	}
	if p.Yes {
		return nil
	}
	var terminal io.ReadWriteCloser
	err := errNoTerminal // with JSON the commands were not shown
	if !p.json {
		terminal, err = p.terminal()
	}
	if err != nil {
		e := record.Errorf(record.Untrusted, "there is no terminal to ask on, and %s to approve", record.Count(len(commands), "command")).
			WithHint("a person reads them and runs cairn trust in a terminal")
		e.Details = map[string]any{"commands": commands}
		return e
	}
	ok, err := wordTyped(asks).on(ctx, terminal)
	if err == nil && !ok {
		return record.Errorf(record.Untrusted, "not approved").WithHint("nothing was changed")
	}
	return err
}

// shownCommands shows commands below a line, each quoted, so that its text can neither look like another command nor be
// invisible.
func shownCommands(above string, commands []store.Command) string {
	var b strings.Builder
	b.WriteString(above + "\n")
	for _, c := range commands {
		where := ""
		if dir := path.Join(c.Repo, c.Cwd); dir != "" {
			where = "  (in " + harmless.Line(dir) + ")"
		}
		b.WriteString("  " + harmless.Line(placesOf(c)) + ": " + harmless.Quote(c.Cmd) + where + "\n")
	}
	return b.String()
}

const placesShown = 5 // of the tasks that have a command

func placesOf(c store.Command) string {
	shown := c.Where[:min(len(c.Where), placesShown)]
	return strings.Join(shown, ", ") + record.AndMore(len(c.Where)-len(shown))
}

// approve shows new commands of a trusted clone to the person at the terminal, and asks them once whether these may run.
// Where there is no person to ask, or the answer is to be JSON, the answer is no.
func (p *program) approve(ctx context.Context, who record.Actor, commands []store.Command) (bool, error) {
	if p.json || !who.Human() || p.personHere("approve commands") != nil {
		return false, nil
	}
	terminal, err := p.terminal()
	if err != nil {
		return false, nil //nolint:nilerr // there is nobody to ask
	}
	p.meter.Clear()
	text := shownCommands("New here since you last said what may run on this machine:", commands)
	if _, err := io.WriteString(terminal, text); err != nil {
		return false, errors.Join(record.Errorf(record.IO, "the terminal: %w", err), terminal.Close())
	}
	return wordTyped([]task.Ask{task.CommandsAsk(who, len(commands))}).on(ctx, terminal)
}

// signIn is what the command of a verb takes whose record a person can sign. It is no part of the verb's input, since no
// agent may sign.
type signIn struct {
	Sign bool   `json:"sign,omitempty" doc:"sign it with your SSH key, as git signs commits; docs/approvals.md says how that is set up"`
	Key  string `json:"key,omitempty" doc:"the key to sign with, a FILE or a public key in words; else git's user.signingkey" cli:"value=FILE"`
}

func signFlags() []cli.Flag { return flagsOf(verb.FieldsOf[signIn]()) }

// giveSigner gives a workspace the key that its actor signs with, if --sign is set.
func (c *call) giveSigner(ctx context.Context, w *verb.Workspace) error {
	key := c.line.String("key")
	if !c.line.Bool("sign") {
		if key != "" {
			return usage("--key goes with --sign").WithHint("add --sign")
		}
		return nil
	}
	if w.Actor().Human() {
		if err := c.personHere("sign for a person"); err != nil {
			return err
		}
	}
	tool, err := c.signingTool(ctx, w.Dir, key)
	w.Signer = tool
	return err
}

// signingTool signs with a key: the one that is named, else the one in git's config.
func (c *call) signingTool(ctx context.Context, dir, named string) (*sshsign.Tool, error) {
	config, err := store.ReadSigningConfig(ctx, dir)
	if err != nil {
		return nil, err
	}
	if named == "" {
		if named, err = config.SSHKey(); err != nil {
			return nil, err
		}
	} else if !sshsign.InWords(named) {
		named = c.abs(c.underHome(named))
	}
	key, err := sshsign.FindKey(named, c.home())
	if err != nil {
		return nil, err
	}
	return &sshsign.Tool{Key: key, Program: c.underHome(config.Program), Socket: c.Getenv("SSH_AUTH_SOCK"), Say: c.Stderr}, nil
}

type signerRow struct {
	Actor       record.Actor `json:"actor"`
	Type        string       `json:"type"`
	Fingerprint string       `json:"fingerprint"`
	From        time.Time    `json:"from,omitzero"`
	Until       time.Time    `json:"until,omitzero"`
	Witness     bool         `json:"witness,omitempty"`
	Counts      bool         `json:"counts"` // in the version that decides here
	Says        string       `json:"-"`      // whether it counts, for people
}

// signerList is what trust signer prints. Counting names the version of the file that decides here: a commit, or the
// working tree.
type signerList struct {
	Path     string           `json:"path"`
	Counting string           `json:"counting"`
	Signers  []signerRow      `json:"signers"`
	Problems []signersProblem `json:"problems"`
}

type signersProblem struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

type signerCommand struct{ *call }

type (
	signerAddIn struct {
		Actor record.Actor `json:"actor" doc:"who may sign" cli:"arg" from:"actors-alone"`
		Key   string       `json:"key" doc:"a file with a public key, or the key in words" cli:"arg,value=KEY.pub"`
		After string       `json:"valid_after,omitempty" doc:"a TIME before which it does not count, such as 2026-11-21T12:00:00Z" cli:"value=TIME"`
		Until string       `json:"valid_before,omitempty" doc:"a TIME after which it does not count" cli:"value=TIME"`

		Witness bool `json:"witness,omitempty" doc:"the key is that of a witness, such as a CI, which runs the checks of closed tasks again; it approves nothing"`
	}
	signerRemoveIn struct {
		Actor  record.Actor `json:"actor" doc:"who signed" cli:"arg" from:"actors-alone"`
		Key    string       `json:"key,omitempty" doc:"one of their keys" cli:"arg,value=KEY.pub|FINGERPRINT"`
		Revoke bool         `json:"revoke,omitempty" doc:"for a key that somebody else may have: take the line out, so that nothing it ever signed counts"`
	}
)

func signerCommands() []command {
	return []command{
		declare(command{name: "trust signer", usage: "Say whose signatures of approvals count, in .cairn/allowed_signers."},
			func(context.Context, *call, nothing) error {
				return usage("says neither add, list nor remove").WithHint("cairn trust signer list; cairn help trust")
			}),
		declare(command{name: "trust signer add", usage: "Let an actor sign with a key; commit the file for it to count."},
			func(ctx context.Context, c *call, in signerAddIn) error { return signerCommand{c}.add(ctx, in) }),
		declare(command{name: "trust signer list", usage: "List the keys, and whether they count already."},
			func(ctx context.Context, c *call, _ nothing) error {
				_, s, err := c.open(ctx)
				if err != nil {
					return err
				}
				return signerCommand{c}.show(ctx, s)
			}),
		declare(command{name: "trust signer remove", usage: "Let an actor's keys count no more from now on; what they signed until now still counts."},
			func(ctx context.Context, c *call, in signerRemoveIn) error { return signerCommand{c}.remove(ctx, in) }),
	}
}

// openForPerson opens the workspace to change what a signer may do, unless an agent asks for it, under whatever name.
func (p signerCommand) openForPerson(ctx context.Context, signer record.Actor) (*store.Store, error) {
	w, s, err := p.open(ctx)
	if err == nil && !w.Actor().Human() {
		err = record.Errorf(record.Forbidden, "%s cannot say whose signatures count", w.Actor()).WithHint("a person runs cairn trust signer")
	}
	if err == nil {
		err = p.personHere("say whose signatures count")
	}
	if err == nil {
		_, err = record.ParseActor(string(signer))
	}
	return s, err
}

func (p signerCommand) add(ctx context.Context, in signerAddIn) error {
	s, err := p.openForPerson(ctx, in.Actor)
	if err != nil {
		return err
	}
	key, err := p.publicKey(in.Key)
	if err != nil {
		return err
	}
	var span [2]time.Time
	for i, flag := range []struct{ name, value string }{{"valid-after", in.After}, {"valid-before", in.Until}} {
		if flag.value == "" {
			continue
		}
		if span[i], err = time.Parse(time.RFC3339, flag.value); err != nil {
			return usage("--%s %q is not a time", flag.name, flag.value).WithHint("write it as 2026-11-21T12:00:00Z")
		}
	}
	namespace := task.SignatureNamespace
	if in.Witness {
		namespace = sshsign.WitnessNamespace
	}
	if err := store.AddSigner(ctx, s.Layout, in.Actor, key, namespace, span[0], span[1]); err != nil {
		return err
	}
	if !p.json {
		p.printf("%s may sign with %s once .cairn/allowed_signers is committed and merged\n", in.Actor, key.Fingerprint())
		return nil
	}
	return p.show(ctx, s)
}

func (p signerCommand) publicKey(text string) (sshsign.PublicKey, error) {
	if sshsign.InWords(text) {
		return sshsign.FindKey(text, "")
	}
	return sshsign.ReadKey(p.abs(p.underHome(text)))
}

func (p signerCommand) remove(ctx context.Context, in signerRemoveIn) error {
	s, err := p.openForPerson(ctx, in.Actor)
	if err != nil {
		return err
	}
	fingerprint := in.Key
	if digits, is := strings.CutPrefix(fingerprint, "SHA256:"); fingerprint != "" && (!is || digits == "") {
		key, err := p.publicKey(fingerprint)
		if err != nil {
			return err
		}
		fingerprint = key.Fingerprint()
	}
	at := p.Now()
	if in.Revoke {
		at = time.Time{}
	}
	ended, err := store.EndSigners(ctx, s.Layout, in.Actor, fingerprint, at)
	if err != nil {
		return err
	}
	if p.json {
		return p.show(ctx, s)
	}
	for _, signer := range ended {
		if at.IsZero() {
			p.printf("nothing that %s signed with %s will count once this is committed and merged\n", in.Actor, signer.Fingerprint())
		} else {
			p.printf("%s of %s will count for nothing that is signed from now on, once this is committed and merged\n", signer.Fingerprint(), in.Actor)
		}
	}
	return nil
}

func (p signerCommand) show(ctx context.Context, s *store.Store) error {
	here, err := snapshot.SignersHere(s.Layout)
	if err != nil {
		return err
	}
	inForce, err := snapshot.SignersInForce(ctx, s.Layout)
	if err != nil {
		return err
	}
	list := signerList{layout.Folder + "/allowed_signers", inForce.From, []signerRow{}, []signersProblem{}}
	for _, signer := range here.Signers {
		row := signerRow{
			signer.Actor, signer.Key.Type(), signer.Fingerprint(), signer.After, signer.Before, signer.Witness, inForce.Has(signer), "yes",
		}
		if signer.Witness {
			row.Says = "as a witness"
		}
		if !row.Counts {
			row.Says = "not yet: not in " + inForce.From
		}
		list.Signers = append(list.Signers, row)
	}
	for _, problem := range here.Problems {
		list.Problems = append(list.Problems, signersProblem{problem.Line, problem.Msg})
	}
	p.program.show(list)
	return nil
}
