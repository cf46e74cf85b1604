package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/limits"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/progress"
)

// Claims are the claims of a clone among other clones. They implement session.Leases.
type Claims struct {
	Options
	port Port
	held *turn // that this value has; it is used by one goroutine
}

// Options say what claims there are, and who asks.
type Options struct {
	Clone   live.Clone
	Known   func() func(record.Ref) session.Live   // what the clone knows now, with writes under way; nil for its states alone
	File    func(record.Ref) (record.Header, bool) // a record as its file here says; nil where that counts for nothing
	Config  kind.Config
	Budget  int         // pushes and fetches in a minute; 0 for limits.ClaimsBudget
	Alone   bool        // claim without the remote if that gives no answer
	Trusted func() bool // whether the user has consented that commands of this clone run
	Now     func() time.Time
	Answer  time.Duration                              // how long the remote may take for one answer; 0 for 20 seconds
	Sleep   func(context.Context, time.Duration) error // nil for the real one
	Port    Port                                       // nil for the remote that the config names
	Try     string                                     // a namespace to probe in the place of that of the config, of which nothing is kept; "" for none
}

var _ session.Leases = (*Claims)(nil)

// Open returns the claims of a clone. It asks nobody yet.
func Open(o Options) *Claims {
	c := &Claims{Options: o, port: o.Port}
	if c.port == nil {
		c.port = newGitPort(o)
	}
	c.Budget = cmp.Or(c.Budget, limits.ClaimsBudget)
	if c.Sleep == nil {
		c.Sleep = func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
			case <-ctx.Done():
			}
			return ctx.Err()
		}
	}
	return c
}

// lockPatience is how long a claim waits for other processes of the clone that ask the remote.
const lockPatience = time.Minute

// turn is a time during which no other process of the clone asks the remote.
type turn struct {
	*Claims
	shared session.Shared
	lock   *filelock.Lock
	at     **turn
	inner  int  // turns that were begun within this one, and are not over
	urgent bool // somebody waits for the answer, and the whole budget may be used
}

// begin waits for the turn of this process; within one it goes on with that. It returns BUSY if that does not come
// within a minute, and the errors of Usable.
func (c *Claims) begin(ctx context.Context) (*turn, error) {
	at := c.place(ctx)
	if *at != nil {
		(*at).inner++
		return *at, nil
	}
	if err := c.Usable(ctx); err != nil {
		return nil, err
	}
	defer progress.Waiting(ctx, "waiting for another process of this clone that asks the git remote")()
	lock, err := c.Clone.Lock(ctx, c.Clone.Live.SharedLock(), lockPatience, "other processes that ask the git remote",
		"try again in a moment")
	if err != nil {
		return nil, err
	}
	return c.turn(lock, at)
}

// place is where the turn is that this process has: of several calls that are made together one for all.
func (c *Claims) place(ctx context.Context) **turn {
	if call := callIn(ctx); call != nil {
		return call.turn
	}
	return &c.held
}

// tryBegin is begin for work that another process does as well: it returns nil if one has the turn.
func (c *Claims) tryBegin(ctx context.Context) (*turn, error) {
	if err := c.Usable(ctx); err != nil {
		return nil, err
	}
	if err := c.Clone.MakeLive(); err != nil {
		return nil, err
	}
	lock, free, err := filelock.TryAcquire(c.Clone.Live.SharedLock())
	if err != nil || !free {
		return nil, c.Clone.Live.Failed(err)
	}
	return c.turn(lock, c.place(ctx))
}

func (c *Claims) turn(lock *filelock.Lock, at **turn) (*turn, error) {
	shared, _ := c.Clone.Shared(c.Config.Claims.Key())
	if shared.Clone == "" {
		id, err := c.token()
		if err != nil {
			_ = lock.Release()
			return nil, problem.IO(err)
		}
		shared.Clone = id[:12]
	}
	*at = &turn{Claims: c, shared: shared, lock: lock, at: at}
	return *at, nil
}

// end lets the next process have its turn.
func (t *turn) end() {
	if t.inner > 0 {
		t.inner--
		return
	}
	*t.at = nil
	_ = t.lock.Release()
}

// save writes what is known.
func (t *turn) save() error { return t.Clone.PutShared(t.shared) }

// token is text that no clone makes twice.
func (c *Claims) token() (string, error) {
	b := make([]byte, 16)
	_, err := rand.Read(b)
	return hex.EncodeToString(b), err
}

// Usable returns GIT outside a repository, INVALID_INPUT if the clone has no such remote, and UNTRUSTED if the clone's
// own config, which may have come with a copied folder, would have git start a program, and the user has not consented
// to that.
func (c *Claims) Usable(ctx context.Context) error {
	if c.Port != nil {
		return nil
	}
	name := c.Config.Claims.Remote
	if c.Clone.Repo == nil {
		return record.Errorf(record.Git, "claims go through the git remote %s, and this is no git repository", name).WithHint("claims_remote: none in .cairn/config.yaml ends that")
	}
	names, err := c.Clone.Repo.Remotes().Names(ctx)
	if err != nil {
		return err
	}
	if !slices.Contains(names, name) {
		return record.Errorf(record.InvalidInput, "claims_remote is %s, and this clone has no such git remote", name).
			WithHint("git remote add %s URL adds it; %s", name, cmp.Or(prefixed("there are ", strings.Join(names, ", ")), "it has none"))
	}
	keys, err := c.Clone.Repo.Remotes().Starts(ctx, name)
	if err != nil || len(keys) == 0 || c.Trusted() {
		return err
	}
	return record.Errorf(record.Untrusted, "claims go through the git remote %s, for which this clone's .git/config starts a program (%s)", name, strings.Join(keys, ", ")).
		WithHint("a person looks at it, and then approves this clone: %s", record.CallTo("trust").ByPerson())
}

func prefixed(with, text string) string {
	if text == "" {
		return ""
	}
	return with + text
}

// local returns what the clone itself says of records now.
func (c *Claims) local() func(record.Ref) session.Local {
	view := c.Clone.View()
	known := func(of record.Ref) session.Live {
		live := view(c.Clone.State(of), nil)
		live.ClaimTTL, live.StaleAfter = c.Config.ClaimTTL, c.Config.StaleAfter
		return live
	}
	if c.Known != nil {
		known = c.Known()
	}
	return func(of record.Ref) session.Local {
		live := known(of)
		l := session.Local{Under: live.Next != nil}
		if live.State == nil {
			return l
		}
		live.Remote = nil
		file := c.file(of)
		if hold := session.Holder(file, live, c.Now()); hold.Overruled == nil {
			l.Lease, l.Lapsed = live.State.Lease, hold.Source == session.FromClone && hold.Lapsed
		}
		made := live.Progress(file)
		if n := len(made); n > 0 && c.Config.Over(of, made[n-1].Status) {
			l.Ended = &made[n-1]
		}
		return l
	}
}

// file is a record as its file here says; without an id if that cannot be read, so that it overrules nothing.
func (c *Claims) file(of record.Ref) record.Header {
	if c.File != nil {
		if file, ok := c.File(of); ok {
			return file
		}
	}
	return record.Header{}
}

// fetch asks the remote for all claims. It returns OFFLINE if there is no answer.
func (t *turn) fetch(ctx context.Context) error {
	if call := callIn(ctx); call != nil {
		_, err := call.ask(&question{ctx: ctx, turn: t})
		return err
	}
	if err := t.spend(ctx); err != nil {
		return err
	}
	patient, cancel := t.patience(ctx)
	refs, err := t.port.Fetch(patient)
	cancel()
	if err != nil {
		return t.offline(ctx, err)
	}
	t.shared = t.shared.Fetched(seenClaims(refs), t.Now())
	return t.save()
}

// muteFor is how long a remote that gave no answer in time gets less of it, so that not each of several claims waits
// for the whole.
const muteFor = time.Minute

// patience is ctx with the time that an answer may take, beside the limit of the port.
func (t *turn) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	if age := t.Now().Sub(t.shared.Mute); age < 0 || age >= muteFor {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, cmp.Or(t.Answer, answerLimit)/10)
}

// offline is OFFLINE for an error of git, which is kept to be shown.
func (t *turn) offline(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		t.shared.Mute = t.Now().UTC()
	}
	t.said(git.Complaint(err))
	_ = t.save() // it only says why
	return offline(t.Config.Claims.Remote, t.shared.Said)
}

// said notes in one line what the remote gave as a reason.
func (t *turn) said(words string) { t.shared.Said = record.Clip(shown(words), 500) }

// shown is what git or a remote said, in one line, without credentials and without what moves the cursor of a terminal.
func shown(words string) string { return printable(git.WithoutCredentials(words)) }

// printable is a text without what moves the cursor of a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

func offline(remote, said string) error {
	return record.Errorf(record.Offline, "the git remote %s gave no answer: %s", remote, said).
		WithHint("try again in a minute, and go on meanwhile with what you hold; git fetch %s by hand shows what is wrong", remote)
}

// refused is OFFLINE for a remote that answers, and takes no claim.
func refused(remote, said string) error {
	return record.Errorf(record.Offline, "the git remote %s takes no claim: %s", remote, said).
		WithHint("%s says what the remote allows; until it takes claims, a person decides: claims_remote: none leaves them to each clone", record.CallTo("remote_probe").OnlyShown())
}

// budgetWindow is the time for which the budget of pushes and fetches is.
const budgetWindow = time.Minute

// spend counts a push or a fetch. Where the budget is used up it waits until there is room, and says so.
func (t *turn) spend(ctx context.Context) error {
	for {
		wait := t.room(t.Budget)
		if wait <= 0 {
			t.shared.Spent = append(t.shared.Spent, t.Now().UTC())
			return t.save()
		}
		if tell := progress.Of(ctx); tell != nil {
			tell(progress.Report{Wait: wait, Message: fmt.Sprintf(
				"waiting %.0f s, since claims ask the git remote %d times a minute at most",
				math.Ceil(wait.Seconds()), t.Budget)})
		}
		if err := t.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// room is how long to wait until a budget has room for one more push or fetch.
func (t *turn) room(budget int) time.Duration {
	now := t.Now()
	t.shared.Spent = slices.DeleteFunc(slices.Clone(t.shared.Spent), func(at time.Time) bool { return now.Sub(at) >= budgetWindow || at.After(now) })
	if len(t.shared.Spent) < budget {
		return 0
	}
	return budgetWindow - now.Sub(t.shared.Spent[len(t.shared.Spent)-budget])
}

// kept is how much of the budget what goes on in the background leaves for claims.
const kept = 2

// spare reports whether the remote may be asked n times for what goes on in the background.
func (t *turn) spare(n int) bool {
	return t.urgent || t.room(max(1, t.Budget-kept-n+1)) <= 0
}
