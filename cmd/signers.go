package cmd

import (
	"context"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/urfave/cli/v3"
)

// signFlags are the flags of a verb whose record a person can sign. They are no part of its input, since no agent may
// sign.
func signFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "sign", Local: true, Usage: "sign it with your SSH key, as git signs commits; docs/approvals.md says how that is set up"},
		&cli.StringFlag{Name: "key", Local: true, Usage: "the key to sign with, a `FILE` or a public key in words; else git's user.signingkey"},
	}
}

// giveSigner gives a workspace the key that its actor signs with, if --sign is set.
func (p *program) giveSigner(ctx context.Context, c *cli.Command, w *verb.Workspace) error {
	if !c.Bool("sign") {
		if c.String("key") != "" {
			return usage("--key goes with --sign").WithHint("add --sign")
		}
		return nil
	}
	if w.Actor().Human() {
		if err := p.personHere("sign for a person"); err != nil {
			return err
		}
	}
	tool, err := p.signingTool(ctx, w.Dir, c.String("key"))
	w.Signer = tool
	return err
}

// signingTool signs with a key: the one that is named, else the one in git's config.
func (p *program) signingTool(ctx context.Context, dir, named string) (*sshsign.Tool, error) {
	config, err := store.ReadSigningConfig(ctx, dir)
	if err != nil {
		return nil, err
	}
	if named == "" {
		if named, err = config.SSHKey(); err != nil {
			return nil, err
		}
	} else if !sshsign.InWords(named) {
		named = p.abs(p.underHome(named))
	}
	key, err := sshsign.FindKey(named, p.home())
	if err != nil {
		return nil, err
	}
	return &sshsign.Tool{Key: key, Program: p.underHome(config.Program), Socket: p.Getenv("SSH_AUTH_SOCK"), Say: p.Stderr}, nil
}

// signerRow is one line of allowed_signers.
type signerRow struct {
	Actor       record.Actor `json:"actor"`
	Type        string       `json:"type"`
	Fingerprint string       `json:"fingerprint"`
	From        *time.Time   `json:"from,omitempty"`
	Until       *time.Time   `json:"until,omitempty"`
	Counts      bool         `json:"counts"` // in the version that decides here
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

// signerCommand is cairn trust signer.
type signerCommand struct{ *program }

func (p signerCommand) command() *cli.Command {
	return &cli.Command{
		Name:  "signer",
		Usage: "Say whose signatures of approvals count, in .cairn/allowed_signers.",
		Commands: []*cli.Command{
			{
				Name: "add", Usage: "Let an actor sign with a key; commit the file for it to count.", ArgsUsage: "ACTOR KEY.pub",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "valid-after", Local: true, Usage: "a `TIME` before which it does not count, such as 2026-11-21T12:00:00Z"},
					&cli.StringFlag{Name: "valid-before", Local: true, Usage: "a `TIME` after which it does not count"},
				},
				Action: p.add,
			},
			{Name: "list", Usage: "List the keys, and whether they count already.", Action: p.list},
			{
				Name: "remove", Usage: "Let an actor's keys count no more from now on; what they signed until now still counts.", ArgsUsage: "ACTOR [KEY.pub|FINGERPRINT]",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "revoke", Local: true, Usage: "for a key that somebody else may have: take the line out, so that nothing it ever signed counts"},
				},
				Action: p.remove,
			},
		},
		Action: func(context.Context, *cli.Command) error {
			return usage("says neither add, list nor remove").WithHint("cairn trust signer list; cairn help trust")
		},
	}
}

// openForPerson opens the workspace, unless an agent asks for it, under whatever name.
func (p signerCommand) openForPerson(ctx context.Context, c *cli.Command) (*store.Store, error) {
	w, s, err := p.open(ctx, c)
	if err == nil && !w.Actor().Human() {
		err = record.Errorf(record.Forbidden, "%s cannot say whose signatures count", w.Actor()).WithHint("a person runs cairn trust signer")
	}
	if err == nil {
		err = p.personHere("say whose signatures count")
	}
	return s, err
}

func (p signerCommand) add(ctx context.Context, c *cli.Command) error {
	s, err := p.openForPerson(ctx, c)
	if err != nil {
		return err
	}
	if c.Args().Len() != 2 {
		return usage("takes an actor and a public key").WithHint("cairn trust signer add human:ada ~/.ssh/id_ed25519.pub")
	}
	who, err := record.ParseActor(c.Args().Get(0))
	if err != nil {
		return err
	}
	key, err := p.publicKey(c.Args().Get(1))
	if err != nil {
		return err
	}
	after, err := timeFlag(c, "valid-after")
	if err != nil {
		return err
	}
	before, err := timeFlag(c, "valid-before")
	if err != nil {
		return err
	}
	if err := store.AddSigner(ctx, s.Layout, who, key, after, before); err != nil {
		return err
	}
	if !p.json {
		p.printf("%s may sign with %s once .cairn/allowed_signers is committed and merged\n", who, key.Fingerprint())
		return nil
	}
	return p.show(ctx, s)
}

// publicKey reads a key in words, or a file that holds one.
func (p signerCommand) publicKey(text string) (sshsign.PublicKey, error) {
	if sshsign.InWords(text) {
		return sshsign.FindKey(text, "")
	}
	return sshsign.ReadKey(p.abs(p.underHome(text)))
}

// timeFlag reads a flag that is a time; the zero time without it.
func timeFlag(c *cli.Command, flag string) (time.Time, error) {
	if c.String(flag) == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, c.String(flag))
	if err != nil {
		return at, usage("--%s %q is not a time", flag, c.String(flag)).WithHint("write it as 2026-11-21T12:00:00Z")
	}
	return at, nil
}

func (p signerCommand) remove(ctx context.Context, c *cli.Command) error {
	s, err := p.openForPerson(ctx, c)
	if err != nil {
		return err
	}
	if n := c.Args().Len(); n < 1 || n > 2 {
		return usage("takes an actor, and one of their keys").WithHint("cairn trust signer remove human:ada ~/.ssh/id_ed25519.pub")
	}
	who, err := record.ParseActor(c.Args().Get(0))
	if err != nil {
		return err
	}
	fingerprint := c.Args().Get(1)
	if fingerprint != "" && !isFingerprint(fingerprint) {
		key, err := p.publicKey(fingerprint)
		if err != nil {
			return err
		}
		fingerprint = key.Fingerprint()
	}
	at := p.Now()
	if c.Bool("revoke") {
		at = time.Time{}
	}
	ended, err := store.EndSigners(ctx, s.Layout, who, fingerprint, at)
	if err != nil {
		return err
	}
	if p.json {
		return p.show(ctx, s)
	}
	for _, signer := range ended {
		if at.IsZero() {
			p.printf("nothing that %s signed with %s will count once this is committed and merged\n", who, signer.Fingerprint())
		} else {
			p.printf("%s of %s will count for nothing that is signed from now on, once this is committed and merged\n", signer.Fingerprint(), who)
		}
	}
	return nil
}

func isFingerprint(text string) bool { return strings.HasPrefix(text, "SHA256:") && text != "SHA256:" }

func (p signerCommand) list(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	_, s, err := p.open(ctx, c)
	if err != nil {
		return err
	}
	return p.show(ctx, s)
}

func (p signerCommand) show(ctx context.Context, s *store.Store) error {
	list, err := p.read(ctx, s)
	if err != nil {
		return err
	}
	if p.json {
		p.printJSON(list)
		return nil
	}
	if len(list.Signers) == 0 {
		p.printf("nobody's signature counts: %s names no key\n", list.Path)
	}
	t := screen.Table{Head: []string{"ACTOR", "KEY", "FROM", "UNTIL", "COUNTS"}}
	for _, row := range list.Signers {
		counts := "yes"
		if !row.Counts {
			counts = "not yet: not in " + list.Counting
		}
		t.Add(string(row.Actor), row.Type+" "+row.Fingerprint, timeText(row.From), timeText(row.Until), counts)
	}
	if len(list.Signers) > 0 {
		t.Print(p.out, p.width(), p.style())
	}
	for _, problem := range list.Problems {
		p.printf("line %d grants nothing: %s\n", problem.Line, problem.Message)
	}
	return nil
}

func (p signerCommand) read(ctx context.Context, s *store.Store) (signerList, error) {
	list := signerList{Path: layout.Folder + "/allowed_signers", Signers: []signerRow{}, Problems: []signersProblem{}}
	here, err := snapshot.SignersHere(s.Layout)
	if err != nil {
		return list, err
	}
	inForce, err := snapshot.SignersInForce(ctx, s.Layout)
	if err != nil {
		return list, err
	}
	list.Counting = inForce.From
	for _, signer := range here.Signers {
		list.Signers = append(list.Signers, signerRow{
			signer.Actor, signer.Key.Type(), signer.Fingerprint(), timeOrNil(signer.After), timeOrNil(signer.Before), inForce.Has(signer),
		})
	}
	for _, problem := range here.Problems {
		list.Problems = append(list.Problems, signersProblem{problem.Line, problem.Msg})
	}
	return list, nil
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func timeText(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339)
}
