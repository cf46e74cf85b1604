package ledger

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// SkillKind is the kind of a skill, in a record.Ref.
const SkillKind = "skill"

// SkillID is the slug of a skill. It names the file, and the folder in which agents find the skill.
type SkillID string

// Skill is a procedure that agents follow: when it is of use, and what is to be done.
type Skill struct {
	record.Header // what all kinds have in common; Title is the name that is shown
	Description   string
	Version       int // counts up with each change
	Body          string
}

// The states of a skill. One that is archived is not handed to agents.
const (
	SkillActive   record.Status = "active"
	SkillArchived record.Status = "archived"
)

// SkillStates lists every state.
var SkillStates = []record.Status{SkillActive, SkillArchived}

// The most that a skill may have, in bytes.
const (
	maxSlug        = 64
	maxDescription = 1024
	maxSkillBody   = 64 << 10
)

// reserved are the names that no file may have on Windows, whatever its ending.
var reserved = []string{"con", "prn", "aux", "nul"}

// ParseSkillID accepts 1 to 64 lower-case letters, digits and single dashes, with a letter or digit at each end: a name
// in the Agent Skills format, and of a folder on every system.
func ParseSkillID(s string) (SkillID, error) {
	device := len(s) == 4 && (s[:3] == "com" || s[:3] == "lpt") && '0' <= s[3] && s[3] <= '9'
	upper := strings.ToLower(s) != s
	dashes := strings.HasPrefix(s, "-") || strings.HasSuffix(s, "-") || strings.Contains(s, "--")
	if len(s) > maxSlug || !record.IsWord(s, "-") || upper || dashes || device || slices.Contains(reserved, s) {
		return "", record.Errorf(record.InvalidInput, "%q is not the id of a skill", record.Clip(s, 100)).
			WithHint("lower-case letters, digits and single dashes, 64 at most, such as release-notes")
	}
	return SkillID(s), nil
}

// SkillChange is what is written of a skill, as the input of the verb has it. What is nil stays as it is.
type SkillChange struct {
	Name        *string        `json:"name,omitempty" doc:"a name for people; the id by default"`
	Description *string        `json:"description,omitempty" doc:"what it does and when to use it, in 1 KiB at most; a new skill needs one"`
	Body        *string        `json:"body,omitempty" doc:"what is to be done, in Markdown, 64 KiB at most; a new skill needs one"`
	Labels      *[]string      `json:"labels,omitempty" doc:"free words to find it by; replaces what is there" cli:"flag=label" from:"labels"`
	Status      *record.Status `json:"status,omitempty" doc:"archived takes it from agents, active gives it back" enum:"active,archived"`
}

// NewSkill returns a skill as it is written first, or INVALID_INPUT if there may be no such skill. A description and a
// body must be given.
func NewSkill(id SkillID, c SkillChange, s record.Stamp) (Skill, error) {
	_, err := ParseSkillID(string(id))
	if err != nil {
		return Skill{}, err
	}
	k := Skill{Header: record.Header{Ref: record.Ref{Kind: SkillKind, ID: string(id)}, Title: string(id), Status: SkillActive}, Version: 1}
	k, _ = k.with(c)
	k.Log = k.Log.Add(s.Entry(record.Created))
	if c.Status != nil {
		k.Header, err = task.Plain(SkillStates...).Move(k, k.Header, *c.Status, s, task.Rules{})
	}
	return k, cmp.Or(err, k.Valid())
}

// Change returns the skill after a change, as its next version, with an entry that says which keys changed. It stays as
// it is if nothing would change. It returns INVALID_INPUT for what no skill may be.
func (k Skill) Change(c SkillChange, s record.Stamp) (Skill, error) {
	now, keys := k.with(c)
	to := k.Status
	change(nil, "status", &to, c.Status)
	if len(keys) == 0 && to == k.Status {
		return k, nil
	}
	now.Version++
	var err error
	now.Header, err = updated(now.Header, append(keys, "version"), to, SkillStates, s)
	return now, cmp.Or(err, now.Valid())
}

// with returns the skill as a change makes it, but for its status, and the keys that differ; the body is among them.
func (k Skill) with(c SkillChange) (Skill, []string) {
	named := func(s string) string { return cmp.Or(strings.TrimSpace(s), k.Ref.ID) }
	keys := change(nil, "title", &k.Title, c.Name, named)
	keys = change(keys, "labels", &k.Labels, c.Labels, record.Unique)
	keys = change(keys, "description", &k.Description, c.Description, strings.TrimSpace)
	return k, change(keys, "body", &k.Body, c.Body, record.CleanBody)
}

// Valid returns INVALID_INPUT for what no skill may be. The message begins with the key.
func (k Skill) Valid() error {
	hint := "say in a sentence or two what it does and when to use it"
	switch {
	case strings.TrimSpace(k.Description) == "":
		return record.Errorf(record.InvalidInput, "description is empty").WithHint("%s", hint)
	case len(k.Description) > maxDescription:
		return record.Errorf(record.InvalidInput, "description is %d bytes long, more than %d", len(k.Description), maxDescription).WithHint("%s; the rest belongs into the body", hint)
	case !utf8.ValidString(k.Description) || strings.ContainsFunc(k.Description, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 }):
		return record.Errorf(record.InvalidInput, "description is not one line of text").WithHint("%s", hint)
	case strings.TrimSpace(k.Body) == "":
		return record.Errorf(record.InvalidInput, "body is empty").WithHint("say what is to be done, in Markdown")
	case len(k.Body) > maxSkillBody:
		return record.Errorf(record.InvalidInput, "body is %d bytes long, more than %d", len(k.Body), maxSkillBody).WithHint("an agent reads all of it; put what it seldom needs into files, and name them")
	case k.Version < 1:
		return record.Errorf(record.InvalidInput, "version is %s", strconv.Itoa(k.Version)).WithHint("1, and one more with each change")
	}
	return cmp.Or(record.OneOf("status", k.Status, SkillStates), k.Header.Valid(k.Body))
}
