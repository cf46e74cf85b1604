package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/task"
)

// asksError says what a person has to confirm by typing a word.
type asksError struct{ asks []task.Ask }

func (a asksError) Error() string { return "to be confirmed" }

// confirm reports whether the form has the word for just what would be done. If something else would be done by now
// than the person read, they are asked again.
func confirm(person func() error, asks []task.Ask, form url.Values) error {
	if person != nil {
		if err := person(); err != nil {
			return verb.WithID(err, asks[0].ID)
		}
	}
	word := strings.TrimSpace(form.Get("word"))
	if form.Get("asked") != digest(asks) || word == "" {
		return asksError{asks}
	}
	if word == asks[0].Word || asks[0].Word == "yes" && word == "y" {
		return nil
	}
	e := record.Errorf(record.Forbidden, "not confirmed by %s", asks[0].Who).
		WithHint("nothing was changed; %s is what to type", asks[0].Word)
	return verb.WithID(e, asks[0].ID)
}

// digest names what is asked.
func digest(asks []task.Ask) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q", asks)))
	return hex.EncodeToString(sum[:])
}
