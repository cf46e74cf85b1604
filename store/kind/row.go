package kind

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// Row is what lists, filters and questions about the graph ask of a record: what its file says, without the texts and
// without the entries. Rows are shared and must not be changed.
type Row struct {
	ID       string
	Title    string
	Status   record.Status
	Assignee record.Actor
	Labels   []string
	Rev      record.Rev
	Created  int64  // of the first entry, in seconds since 1970; 0 for none
	Updated  int64  // of the last entry, likewise
	Newest   int64  // of the newest entry, likewise: the last one, unless somebody wrote them in another order
	Entries  int    // how many there are
	Session  string // the newest about the record, by its entries
	Signs    []Sign // the newest entry of each actor, the oldest of these first
	Assigned int64  // when the newest entry was made that assigned the present assignee, in seconds since 1970; 0 for none

	// Of a kind that has them.
	Priority task.Priority
	Parent   record.ID   // the record that this one belongs to
	Deps     []record.ID // the records that it waits for
	Checks   []string    // each with its result
	Body     string      // a digest, which differs if the bodies do; "" for none
	Facts    []Fact      // what only rows of its kind have; few and short
}

// Fact is a short text of a row that has a name. A row may have several of one name.
type Fact struct{ Name, Value string }

// Add adds facts of one name. Empty values are left out.
func (r *Row) Add(name string, values ...string) {
	for _, v := range values {
		if v != "" {
			r.Facts = append(r.Facts, Fact{name, v})
		}
	}
}

// Fact returns the value of the first fact with a name, or "".
func (r *Row) Fact(name string) string {
	for _, f := range r.Facts {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// All returns the values of all facts with a name.
func (r *Row) All(name string) []string {
	var out []string
	for _, f := range r.Facts {
		if f.Name == name {
			out = append(out, f.Value)
		}
	}
	return out
}

// The names of facts that rows of several kinds have.
const (
	TypeFact        = "type"
	DueFact         = "due"
	AboutFact       = "about" // one for each record
	FingerprintFact = "fingerprint"
	CloseFact       = "close" // of a task: Task.Closing
	AskedFact       = "asked" // of a task that its last attempt left for the answer to a question: a Said, with the id of that
	RepoFact        = "repo"  // of a repository its host and path; of a task the name of one
	RoleFact        = "role"
	OriginFact      = "origin" // what the record was made from, as the target of its reference says; one for each
)

// IsFrom reports whether the record was made from what a text names in another system: SYSTEM:ID, ID, or the end of an
// ID that begins with its number sign or behind a slash, as #706 and name#706 are of owner/name#706. Letters may be of
// either case.
func (r *Row) IsFrom(ref string) bool {
	for _, f := range r.Facts {
		if f.Name != OriginFact {
			continue
		}
		system, id, _ := strings.Cut(f.Value, ":")
		name := ref
		if n := len(system); len(ref) > n && ref[n] == ':' && strings.EqualFold(ref[:n], system) {
			name = ref[n+1:]
		}
		rest := len(id) - len(name)
		if rest >= 0 && name != "" && strings.EqualFold(id[rest:], name) && (rest == 0 || name[0] == '#' || id[rest-1] == '/') {
			return true
		}
	}
	return false
}

// refFact is the name of the facts that say of which types the references of a record are.
const refFact = "ref"

// RefTypes are the types of the references of the record, each once.
func (r *Row) RefTypes() []string { return r.All(refFact) }

// Sign is when an actor last wrote to a record.
type Sign struct {
	Who record.Actor
	At  int64 // in seconds since 1970
}

// Row returns the row of a record.
func (k *Kind) Row(v any) Row {
	r := RowOf(k.Header(v))
	k.addFacts(v, &r)
	n := 0
	for _, e := range k.Header(v).Log {
		if k.Repeats(v, e) {
			n++
		}
	}
	if n > 0 {
		r.Add(repeatsFact, strconv.Itoa(n))
	}
	r.Body = digest(k.body(v))
	return r
}

// repeatsFact is the name of the fact that says how many entries of a record repeat those of another.
const repeatsFact = "repeats"

// OwnEntries is how many entries of the record repeat none of another.
func (r *Row) OwnEntries() int {
	n, _ := strconv.Atoi(r.Fact(repeatsFact))
	return r.Entries - n
}

// RowOf returns what a row has of a header.
func RowOf(h record.Header) Row {
	r := Row{
		ID: h.Ref.ID, Title: h.Title, Status: h.Status, Assignee: h.Assignee, Labels: h.Labels, Rev: h.Rev,
		Entries: len(h.Log), Session: h.Log.LastSession(),
	}
	r.Created, r.Updated = seconds(h.Log.First().At), seconds(h.Log.Last().At)
	for _, ref := range h.Refs {
		if kind := string(ref.Type); !slices.Contains(r.Facts, Fact{refFact, kind}) {
			r.Add(refFact, kind)
		}
		if ref.Type == record.OriginRef {
			r.Add(OriginFact, ref.Target)
		}
	}
	for _, e := range h.Log {
		r.Newest = max(r.Newest, seconds(e.At))
		if e.Assignee != nil && *e.Assignee == h.Assignee {
			r.Assigned = max(r.Assigned, seconds(e.At))
		}
		r.Signs = slices.DeleteFunc(r.Signs, func(s Sign) bool { return s.Who == e.Who })
		r.Signs = append(r.Signs, Sign{e.Who, seconds(e.At)})
	}
	r.Add(MentionFact, newest(mentions(h.Log))...)
	r.Add(AssignedFact, assignedBy(h))
	if h.Taken() {
		r.Add(takenFact, "true")
	}
	return r
}

// The names of facts that rows of every kind have, each a Said.
const (
	MentionFact  = "mention"  // an entry that mentions somebody, who is More; the newest few
	takenFact    = "taken"    // the assignee has taken the record up
	AssignedFact = "assigned" // the entry by which another actor assigned the record to its assignee, who has not taken it up since
)

// mentions is what a row keeps of the entries that mention somebody, the oldest first.
func mentions(log record.Log) []string {
	var out []string
	for _, e := range log {
		for _, who := range e.Said().Mentions {
			said := SaidOf(e)
			said.More = string(who)
			out = append(out, said.String())
		}
	}
	return out
}

// assignedBy is what a row keeps of the newest entry by which another actor made the assignee that; "" if the assignee
// took the record up since, or nobody else did it.
func assignedBy(h record.Header) string {
	if h.Assignee == "" || h.Taken() {
		return ""
	}
	for _, e := range slices.Backward(h.Log) {
		switch {
		case e.Assignee != nil && *e.Assignee == h.Assignee && e.Who != h.Assignee:
			return SaidOf(e).String()
		case e.Assignee != nil:
			return ""
		}
	}
	return ""
}

// seconds is a time in seconds since 1970; 0 for none.
func seconds(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Unix()
}

// Own returns a row that keeps nothing else in memory than what it says. The texts of one that was made from a record
// are parts of its file.
func (r Row) Own() Row {
	r.ID, r.Title, r.Status, r.Assignee = strings.Clone(r.ID), strings.Clone(r.Title), own(r.Status), own(r.Assignee)
	r.Rev, r.Session, r.Parent, r.Body = record.Rev(strings.Clone(string(r.Rev))), own(r.Session), own(r.Parent), strings.Clone(r.Body)
	r.Labels, r.Deps, r.Checks = record.Each(r.Labels, own), record.Each(r.Deps, own), record.Each(r.Checks, own)
	r.Signs = record.Each(r.Signs, func(s Sign) Sign { return Sign{own(s.Who), s.At} })
	r.Facts = record.Each(r.Facts, func(f Fact) Fact { return Fact{own(f.Name), own(f.Value)} })
	return r
}

func own[T ~string](text T) T { return T(unique.Make(string(text)).Value()) }

// digest stands for a text in a row.
func digest(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Text returns everything that a record says in words: its id, title, labels, body, references, and what its entries
// tell, a line each.
func (k *Kind) Text(v any) string {
	h := k.Header(v)
	said := []string{h.Ref.ID, h.Title, strings.Join(h.Labels, " ")}
	if body := k.body(v); body != "" {
		said = append(said, body)
	}
	said = append(said, wordsOfRefs(h.Refs)...)
	for _, e := range h.Log {
		if e.Text != "" {
			said = append(said, e.Text)
		}
	}
	return strings.Join(said, "\n")
}

// Task returns a task of which only the fields are set that a row has. Rules that ask for more must be given the task
// itself.
func (r *Row) Task() task.Task {
	return task.Task{
		ID: record.ID(r.ID), Title: r.Title, Status: r.Status, Priority: r.Priority, Labels: r.Labels,
		Assignee: r.Assignee, Parent: r.Parent, Deps: r.Deps, Rev: r.Rev, Due: task.Due(r.Fact(DueFact)),
		Links: r.Links(), Own: r.OwnValues(),
	}
}

// Header returns the header of a task of which a row is known. Of its log it has what says who holds the task and how
// its last session does: the newest entry of each actor, when it was assigned, and the newest session. Who asks whether
// the file has an entry needs the whole log.
func (r *Row) Header() record.Header {
	h := r.Task().Header()
	if r.Assigned != 0 {
		h.Log = append(h.Log, record.Entry{At: time.Unix(r.Assigned, 0).UTC(), Assignee: &h.Assignee})
	}
	if r.Fact(takenFact) != "" {
		h.Log = append(h.Log, record.Entry{Who: r.Assignee, Did: record.Claimed})
	}
	for _, s := range r.Signs {
		e := record.Entry{Who: s.Who, Did: record.Finished, Session: r.Session} // an entry that tells of a session, whatever it was
		if s.At != 0 {
			e.At = time.Unix(s.At, 0).UTC()
		}
		h.Log = append(h.Log, e)
	}
	return h
}

// Wrote reports whether an actor wrote an entry.
func (r *Row) Wrote(who record.Actor) bool {
	return slices.ContainsFunc(r.Signs, func(s Sign) bool { return s.Who == who })
}

// Passed is how many of the checks of a task have passed, as its file says and but for those that did not with their files
// as they were, and how many there are.
func (r *Row) Passed() (passed, all int) {
	for _, c := range r.Checks {
		if strings.HasSuffix(c, " "+string(record.Pass)) {
			passed++
		}
	}
	return passed, len(r.Checks)
}

// Failed is how many of the checks of a task have failed, or passed but not with their files as they were.
func (r *Row) Failed() (n int) {
	for _, c := range r.Checks {
		if strings.HasSuffix(c, " "+string(record.Fail)) || strings.HasSuffix(c, " not held") {
			n++
		}
	}
	return n
}

// taskRow sets the fields of a row that only tasks have.
func taskRow(v any, r *Row) {
	t := v.(task.Task)
	r.Priority, r.Parent, r.Deps = t.Priority, t.Parent, t.Deps
	r.Add(CloseFact, t.Closing())
	if e, asked := t.Asked(); asked {
		said := SaidOf(e)
		said.More = strings.Join(e.Said().About, " ")
		r.Add(AskedFact, said.String())
	}
	for _, name := range slices.Sorted(maps.Keys(t.Own)) {
		if value := t.Own[name]; len(value) <= mostOwn && len(name) <= mostOwn {
			r.Add(ownFact+name, value)
		}
	}
	evidence := t.EvidenceIndex()
	for i, c := range t.Checks {
		result := string(c.Result)
		if evidence.NotHeld(i) {
			result = "not held"
		}
		r.Checks = append(r.Checks, c.Desc+" "+result)
		if c.Result != record.Pass {
			r.Add(ReviewerFact, string(c.Reviewer()))
		}
	}
	r.Add(ManualFact, manualLeft(t, evidence)...)
	if r.Fact(ReviewerFact) != "" {
		if e, moved := t.Provenance.Newest(func(e record.Entry) bool { return e.To != "" }); moved {
			r.Add(MovedFact, SaidOf(e).String())
		}
	}
	if e, ok := t.Approval(); ok && t.Provenance.LastIndex(func(later record.Entry) bool { return later.To != "" && later.At.After(e.At) }) < 0 {
		r.Add(ApprovedFact, SaidOf(e).String())
	}
	reviewFacts(t.Provenance, r)
}

// The names of the facts that only the row of a task has.
const (
	ModeFact     = "mode"
	ReviewerFact = "reviewer" // whose approval a check asks for that has not passed; one for each
	MovedFact    = "moved"    // a Said: the entry that moved the task to its state; only beside ReviewerFact
	ManualFact   = "manual"   // a ManualCheck that waits for somebody, where all commands have passed; one for each
	AttestedFact = "attested" // a Said: a manual check was settled, and More is how; the newest few
	ApprovedFact = "approved" // a Said: the newest approval of the work, which nothing took back and after which nothing moved the task
	WorkerFact   = "worker"   // who has worked on the task; only beside AttestedFact
)

// ownFact begins the names of the facts that are optional fields or keys of the user's own. A row has every key that
// cairn does not know and that holds one short value, whether the config declares it or not, so that rows stay right
// when the config changes.
const ownFact = "own:"

// mostOwn is the longest value of a key of the user's own, in bytes, that a row has. None that is longer can be one of
// a field.
const mostOwn = 500

// OwnValue returns the value of a key of the user's own; "" for none.
func (r *Row) OwnValue(name string) string { return r.Fact(ownFact + name) }

// After is from when on a task is ready; "" for always.
func (r *Row) After() task.Due { return task.Due(r.OwnValue("after")) }

// OwnValues returns all values of keys of the user's own; nil for none.
func (r *Row) OwnValues() map[string]string {
	var out map[string]string
	for _, f := range r.Facts {
		if name, ok := strings.CutPrefix(f.Name, ownFact); ok {
			if out == nil {
				out = map[string]string{}
			}
			out[name] = f.Value
		}
	}
	return out
}

// Links returns the links of a task.
func (r *Row) Links() task.Links {
	var out task.Links
	for _, kind := range task.LinkKinds {
		for _, id := range r.All(kind.Name) {
			*out.LinksOf(kind.Name) = append(*out.LinksOf(kind.Name), record.ID(id))
		}
	}
	return out
}

// reviewFacts sets the facts by which those who worked on a task find how their work was judged.
func reviewFacts(log record.Log, r *Row) {
	var attested, workers []string
	for _, e := range log {
		if e.Did == record.Attested && len(e.Results) > 0 {
			said := SaidOf(e)
			said.More = string(e.Results[0].Result)
			attested = append(attested, said.String())
		}
		if who, ok := e.Holder(); ok && who != "" && !slices.Contains(workers, string(who)) {
			workers = append(workers, string(who))
		}
	}
	if len(attested) > 0 {
		r.Add(AttestedFact, newest(attested)...)
		r.Add(WorkerFact, workers...)
	}
}
