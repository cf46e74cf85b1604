package cmd

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/sshsign"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

// signerRow is one line of allowed_signers.
type signerRow struct {
	Actor       task.Actor `json:"actor"`
	Type        string     `json:"type"`
	Fingerprint string     `json:"fingerprint"`
	From        *time.Time `json:"from,omitempty"`
	Until       *time.Time `json:"until,omitempty"`
	Counts      bool       `json:"counts"` // in the version that the gates here go by
}

// signerList is what trust signer prints. Counting names the version of the file that the gates here go by: a commit, or the
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

func (p *program) trustSignerCommand() *cli.Command {
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
				Action: p.addSigner,
			},
			{Name: "list", Usage: "List the keys, and whether they count already.", Action: p.listSigners},
			{
				Name: "remove", Usage: "Let an actor's keys count no more from now on; what they signed until now still counts.", ArgsUsage: "ACTOR [KEY.pub|FINGERPRINT]",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "revoke", Local: true, Usage: "for a key that somebody else may have: take the line out, so that nothing it ever signed counts"},
				},
				Action: p.removeSigner,
			},
		},
		Action: func(context.Context, *cli.Command) error {
			return usage("says neither add, list nor remove").WithHint("cairn trust signer list; cairn help trust")
		},
	}
}

// signersOf opens the workspace for a person who says whose signatures count.
func (p *program) signersOf(ctx context.Context, c *cli.Command) (*store.Store, error) {
	w, s, err := p.open(ctx, c)
	if err == nil && !w.Actor.Human() {
		err = task.Errorf(task.Forbidden, "%s cannot say whose signatures count", w.Actor).WithHint("a person runs cairn trust signer")
	}
	return s, err
}

func (p *program) addSigner(ctx context.Context, c *cli.Command) error {
	s, err := p.signersOf(ctx, c)
	if err != nil {
		return err
	}
	if c.Args().Len() != 2 {
		return usage("takes an actor and a public key").WithHint("cairn trust signer add human:ada ~/.ssh/id_ed25519.pub")
	}
	who, err := task.ParseActor(c.Args().Get(0))
	if err != nil {
		return err
	}
	key, err := p.publicKey(c.Args().Get(1))
	if err != nil {
		return err
	}
	after, err := moment(c, "valid-after")
	if err != nil {
		return err
	}
	before, err := moment(c, "valid-before")
	if err != nil {
		return err
	}
	if err := s.AddSigner(ctx, who, key, after, before); err != nil {
		return err
	}
	if !p.json {
		p.printf("%s may sign with %s once .cairn/allowed_signers is committed and merged\n", who, key.Fingerprint())
		return nil
	}
	return p.showSigners(ctx, s)
}

// publicKey reads a key in words, or a file that holds one.
func (p *program) publicKey(said string) (sshsign.PublicKey, error) {
	if sshsign.InWords(said) {
		return sshsign.FindKey(said, "")
	}
	return sshsign.ReadKey(p.at(p.underHome(said)))
}

func moment(c *cli.Command, flag string) (time.Time, error) {
	if c.String(flag) == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, c.String(flag))
	if err != nil {
		return at, usage("--%s %q is not a time", flag, c.String(flag)).WithHint("write it as 2026-11-21T12:00:00Z")
	}
	return at, nil
}

func (p *program) removeSigner(ctx context.Context, c *cli.Command) error {
	s, err := p.signersOf(ctx, c)
	if err != nil {
		return err
	}
	if n := c.Args().Len(); n < 1 || n > 2 {
		return usage("takes an actor, and one of their keys").WithHint("cairn trust signer remove human:ada ~/.ssh/id_ed25519.pub")
	}
	who, err := task.ParseActor(c.Args().Get(0))
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
	ended, err := s.EndSigners(ctx, who, fingerprint, at)
	if err != nil {
		return err
	}
	if p.json {
		return p.showSigners(ctx, s)
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

func isFingerprint(text string) bool { return len(text) > 7 && text[:7] == "SHA256:" }

func (p *program) listSigners(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	_, s, err := p.open(ctx, c)
	if err != nil {
		return err
	}
	return p.showSigners(ctx, s)
}

func (p *program) showSigners(ctx context.Context, s *store.Store) error {
	list, err := p.signerList(ctx, s)
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
	t := table{head: []string{"ACTOR", "KEY", "FROM", "UNTIL", "COUNTS"}}
	for _, row := range list.Signers {
		counts := "yes"
		if !row.Counts {
			counts = "not yet: not in " + list.Counting
		}
		t.add(string(row.Actor), row.Type+" "+row.Fingerprint, when(row.From), when(row.Until), counts)
	}
	if len(list.Signers) > 0 {
		t.print(p.out, p.width(), p.style())
	}
	for _, problem := range list.Problems {
		p.printf("line %d grants nothing: %s\n", problem.Line, problem.Message)
	}
	return nil
}

func (p *program) signerList(ctx context.Context, s *store.Store) (signerList, error) {
	list := signerList{Path: store.Folder + "/allowed_signers", Signers: []signerRow{}, Problems: []signersProblem{}}
	here, err := s.SignersHere()
	if err != nil {
		return list, err
	}
	inForce, err := s.SignersInForce(ctx)
	if err != nil {
		return list, err
	}
	list.Counting = inForce.From
	for _, signer := range here.Signers {
		list.Signers = append(list.Signers, signerRow{
			signer.Actor, signer.Key.Type(), signer.Fingerprint(), instant(signer.After), instant(signer.Before), inForce.Has(signer),
		})
	}
	for _, problem := range here.Problems {
		list.Problems = append(list.Problems, signersProblem{problem.Line, problem.Msg})
	}
	return list, nil
}

func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func when(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339)
}
