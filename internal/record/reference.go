package record

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Reference is something outside a record that belongs to it: code, a link, a file, or another record. It is one line
// of the list refs.
type Reference struct {
	Ref    string        `json:"ref"`           // names it within the record: 8 hex digits
	Type   ReferenceType `json:"type"`          // what it is
	Sha    string        `json:"sha,omitempty"` // of a commit, or of what a branch, a tag or a pull request is at
	Branch string        `json:"branch,omitempty"`
	Repo   string        `json:"repo,omitempty"`   // host and path, such as github.com/o/r, without credentials; "" for one that is not known
	Number int           `json:"number,omitempty"` // of a pull request
	URL    string        `json:"url,omitempty"`
	State  string        `json:"state,omitempty"`  // of a pull request
	Path   string        `json:"path,omitempty"`   // of a file, from the workspace root: FilesFolder, and the name that FileName makes
	Size   int           `json:"size,omitempty"`   // of a file, in bytes
	Mime   string        `json:"mime,omitempty"`   // of a file
	Target string        `json:"target,omitempty"` // the id of a record, the name of a tag, A...B of a compare, or SYSTEM:ID of an origin
	By     Actor         `json:"by,omitempty"`     // who added it
	At     time.Time     `json:"at,omitzero"`
	Title  string        `json:"title,omitempty"`
}

// ReferenceType says what a reference is.
type ReferenceType string

// The types of reference.
const (
	CommitRef  ReferenceType = "commit"
	BranchRef  ReferenceType = "branch"
	TagRef     ReferenceType = "tag"
	CompareRef ReferenceType = "compare"
	PullRef    ReferenceType = "pr"
	LinkRef    ReferenceType = "link"
	FileRef    ReferenceType = "file"
	RecordRef  ReferenceType = "record"
	OriginRef  ReferenceType = "origin" // what the record was made from, in the system that it came from
)

// MaxRefs is the most references that a write gives a record.
const MaxRefs = 500

// PullStates are the states of a pull request.
var PullStates = []string{"open", "draft", "merged", "closed"}

// referenceForms says what a reference of each type has: the member that it must have, those that it may have beside
// title, by and at, and what the first is.
var referenceForms = map[ReferenceType]struct {
	needs string
	may   []string
	hint  string
}{
	CommitRef: {"sha", []string{"branch", "repo", "url"},
		"sha: the hash of the commit; where this repository has one, the one that is checked out by default"},
	BranchRef:  {"branch", []string{"sha", "repo", "url"}, "branch: its name"},
	TagRef:     {"target", []string{"sha", "repo", "url"}, "target: the name of the tag"},
	CompareRef: {"target", []string{"repo", "url"}, "target: what is compared, as in v1...main"},
	PullRef:    {"", []string{"number", "url", "state", "sha", "branch", "repo"}, ""},
	LinkRef:    {"url", nil, "url: its address, which begins with https:// or http://"},
	FileRef:    {"path", []string{"size", "mime"}, "path: the file, in this work tree"},
	RecordRef:  {"target", nil, "target: the id of the record"},
	OriginRef:  {"target", []string{"url"}, "target: the system that it came from, a colon, and its id there"},
}

// InGit reports whether references of the type name something in a repository.
func (t ReferenceType) InGit() bool {
	return slices.Contains([]ReferenceType{CommitRef, BranchRef, TagRef, CompareRef, PullRef}, t)
}

// members returns the members of a reference that have a value, by their keys in a file, without ref and type.
func (r Reference) members() map[string]string {
	out := map[string]string{}
	for key, value := range map[string]string{
		"sha": r.Sha, "branch": r.Branch, "repo": r.Repo, "url": r.URL, "state": r.State, "path": r.Path, "mime": r.Mime, "target": r.Target, "title": r.Title,
		"number": number(r.Number), "size": number(r.Size),
	} {
		if value != "" {
			out[key] = value
		}
	}
	return out
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Valid returns INVALID_INPUT for a reference that no record may have: of no type, without what its type needs, with
// what its type has not, or with a value of the wrong form.
func (r Reference) Valid() error {
	form, ok := referenceForms[r.Type]
	if !ok {
		return Errorf(InvalidInput, "type is %q", Clip(string(r.Type), 40)).WithHint("commit, branch, tag, compare, pr, link, file, record or origin")
	}
	members := r.members()
	if form.needs != "" && members[form.needs] == "" {
		return Errorf(InvalidInput, "a reference of type %s needs %s", r.Type, form.needs).WithHint("%s", form.hint)
	}
	if r.Type == PullRef && r.Number == 0 && r.URL == "" {
		return Errorf(InvalidInput, "a reference of type pr needs number or url").WithHint("the number of the pull request, or its address")
	}
	for key := range members {
		if key != "title" && key != form.needs && !slices.Contains(form.may, key) {
			return Errorf(InvalidInput, "a reference of type %s has no %s", r.Type, key)
		}
	}
	return r.validValues()
}

// validValues looks at the form of each value that is set.
func (r Reference) validValues() error {
	for _, one := range []struct {
		key, value string
		ok         bool
		form       string
	}{
		{"ref", r.Ref, isHex(r.Ref, 8, 8), "8 hex digits"},
		{"sha", r.Sha, isHex(r.Sha, 7, 64), "the hash of a commit, 7 to 64 hex digits"},
		{"repo", r.Repo, RepoOf(r.Repo) == r.Repo, "a host and a path, such as github.com/o/r"},
		{"url", r.URL, CleanURL(r.URL) == r.URL, "an address that begins with https:// or http://, without credentials"},
		{"state", r.State, slices.Contains(PullStates, r.State), "open, draft, merged or closed"},
		{"path", r.Path, IsFilePath(r.Path), "the path of a file in " + FilesFolder},
		{"number", number(r.Number), r.Number > 0, "more than 0"},
		{"size", number(r.Size), r.Size > 0, "more than 0"},
		{"target", r.Target, r.validTarget(), "the id of a record, the name of a tag, A...B of a compare, or SYSTEM:ID of an origin"},
	} {
		if one.value != "" && !one.ok && (one.key == "url" || one.key == "repo") { // it may hold credentials
			return Errorf(InvalidInput, "%s is none that a reference may have", one.key).WithHint("%s is %s", one.key, one.form)
		}
		if one.value != "" && !one.ok {
			return Errorf(InvalidInput, "%s is %q", one.key, Clip(one.value, 100)).WithHint("%s is %s", one.key, one.form)
		}
	}
	for key, value := range map[string]string{"branch": r.Branch, "title": r.Title, "target": r.Target, "mime": r.Mime, "url": r.URL} {
		if value == "" {
			continue
		}
		if err := ValidLine(key, value); err != nil {
			return err
		}
	}
	if _, err := ParseActor(string(r.By)); r.By != "" && err != nil {
		return err
	}
	return nil
}

func (r Reference) validTarget() bool {
	from, to, compares := strings.Cut(r.Target, "...")
	switch r.Type {
	case CompareRef:
		return compares && from != "" && to != "" && !strings.ContainsAny(r.Target, " \t")
	case RecordRef:
		return len(r.Target) <= MaxID && IsWord(r.Target, "._:@+-")
	case OriginRef:
		system, id, ok := strings.Cut(r.Target, ":")
		return ok && IsWord(system, "_-") && id != "" && !strings.ContainsAny(id, " \t")
	default:
		return !strings.ContainsAny(r.Target, " \t")
	}
}

func isHex(s string, least, most int) bool {
	return len(s) >= least && len(s) <= most && strings.Trim(s, "0123456789abcdef") == ""
}

// about is what a reference is about: two that are about the same are one.
func (r Reference) about() []string {
	switch r.Type {
	case PullRef:
		if r.Number > 0 {
			return []string{string(r.Type), r.Repo, number(r.Number)}
		}
		return []string{string(r.Type), r.URL}
	case CommitRef:
		return []string{string(r.Type), r.Repo, r.Sha}
	case BranchRef:
		return []string{string(r.Type), r.Repo, r.Branch}
	default:
		return []string{string(r.Type), r.Repo, r.URL, r.Path, r.Target}
	}
}

// SameAs reports whether two references are about the same thing.
func (r Reference) SameAs(other Reference) bool { return slices.Equal(r.about(), other.about()) }

// named returns the reference with a ref that no other of the record has. It follows from what the reference is about,
// so that two branches which add the same one agree.
func (r Reference) named(among []Reference) Reference {
	for n := 0; ; n++ {
		r.Ref = r.nameBy(n)
		if !slices.ContainsFunc(among, func(other Reference) bool { return other.Ref == r.Ref }) {
			return r
		}
	}
}

// nameBy is the n-th ref that follows from what the reference is about: a name is taken only if all before it are.
func (r Reference) nameBy(n int) string { return Digest(append(r.about(), strconv.Itoa(n))...)[:8] }

// Follows reports whether the ref follows from what the reference is about, so that an entry with the ref tells of
// that.
func (r Reference) Follows() bool {
	const clashes = 4 // more names of eight digits are not taken in any record
	for n := range clashes {
		if r.Ref == r.nameBy(n) {
			return true
		}
	}
	return false
}

// FindReference returns the index of a reference in a list, by its ref or the beginning of it. It returns NOT_FOUND, or
// AMBIGUOUS_ID.
func FindReference(refs []Reference, ref string) (int, error) {
	found := -1
	for i, r := range refs {
		switch {
		case r.Ref == ref:
			return i, nil
		case len(ref) < 4 || !strings.HasPrefix(r.Ref, ref):
		case found >= 0:
			return -1, Errorf(AmbiguousID, "%s begins more than one ref", Clip(ref, 20)).WithHint("write all 8 digits")
		default:
			found = i
		}
	}
	if found < 0 {
		all := Each(refs, func(r Reference) string { return r.Ref })
		return -1, Errorf(NotFound, "it has no reference %q", Clip(ref, 20)).WithHint("its references are %s", cmp.Or(strings.Join(all[:min(len(all), 20)], ", "), "none"))
	}
	return found, nil
}

// AddReference adds a reference to a record, and returns the entry that says so. One that is there already is not added
// again, and the entry is nil; what else is said of it then must be what it says. It returns INVALID_INPUT for a
// reference that no record may have, and CONFLICT for one that is there and says something else.
func (h Header) AddReference(r Reference, s Stamp) (refs []Reference, entry *Entry, err error) {
	if err := r.Valid(); err != nil {
		return h.Refs, nil, err
	}
	for _, have := range h.Refs {
		if !have.SameAs(r) {
			continue
		}
		had, says := have.members(), r.members()
		for _, key := range slices.Sorted(maps.Keys(says)) {
			if had[key] != says[key] {
				return h.Refs, nil, Errorf(Conflict, "the reference is there already as %s, with another %s", have.Ref, key).
					WithHint("%s changes what it says", CallTo("ref_update", "id", h.Ref.ID, "ref", have.Ref).OnlyShown()).ForGood()
			}
		}
		return h.Refs, nil, nil
	}
	if len(h.Refs) >= MaxRefs {
		return h.Refs, nil, Errorf(InvalidInput, "the record has %d references, and may have no more", len(h.Refs)).WithHint("put some of them on a record that belongs to it")
	}
	r = r.named(h.Refs)
	r.By, r.At = s.Who, s.At.UTC().Truncate(time.Second)
	return append(slices.Clone(h.Refs), r), changedRef(r, s), nil
}

// ReferenceChange is a change of a reference. A nil member stays as it is.
type ReferenceChange struct{ State, Sha, Title, URL *string }

// ChangeReference changes what a reference says, and returns the entry that says so, or nil if nothing would change.
func (h Header) ChangeReference(ref string, c ReferenceChange, s Stamp) ([]Reference, *Entry, error) {
	at, err := FindReference(h.Refs, ref)
	if err != nil {
		return h.Refs, nil, err
	}
	was := h.Refs[at]
	r := was
	for _, one := range []struct{ to, from *string }{{&r.State, c.State}, {&r.Sha, c.Sha}, {&r.Title, c.Title}, {&r.URL, c.URL}} {
		if one.from != nil {
			*one.to = *one.from
		}
	}
	switch {
	case r == was:
		return h.Refs, nil, nil
	case !r.SameAs(was):
		return h.Refs, nil, Errorf(InvalidInput, "that would make it a reference to something else").
			WithHint("%s adds another; this one can be taken away", CallTo("ref_add", "id", h.Ref.ID, "type", string(r.Type)).OnlyShown())
	}
	if err := r.Valid(); err != nil {
		return h.Refs, nil, err
	}
	refs := slices.Clone(h.Refs)
	refs[at] = r
	return refs, changedRef(r, s), nil
}

// RemoveReference takes a reference away. Only who added it may, or an actor who may take away what others added.
func (h Header) RemoveReference(ref string, mayAll bool, s Stamp) ([]Reference, *Entry, error) {
	at, err := FindReference(h.Refs, ref)
	if err != nil {
		return h.Refs, nil, err
	}
	r := h.Refs[at]
	if r.By != s.Who && !mayAll {
		return h.Refs, nil, Errorf(Forbidden, "%s added it, and only they or a maintainer may take it away", r.By.OrNobody()).
			WithHint("ask %s, or a person", r.By.OrNobody())
	}
	return slices.Delete(slices.Clone(h.Refs), at, at+1), changedRef(r, s), nil
}

// changedRef is the entry about a reference that came, changed or went.
func changedRef(r Reference, s Stamp) *Entry {
	e := s.Entry(Updated).Saying(Detail{Refs: []string{r.Ref}})
	return &e
}
