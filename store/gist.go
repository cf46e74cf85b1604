package store

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// bodyListed is the longest body, in bytes, that a list has whole. The bodies of a workspace may be more than there is memory.
const bodyListed = 240

// digestMark begins what stands for a body. No body begins with it: files with a NUL byte are not read.
const digestMark = "\x00"

// gist is a task as lists have it: a long body is replaced by a digest, which differs where bodies differ.
func gist(t task.Task) task.Task {
	if len(t.Body) > bodyListed {
		sum := sha256.Sum256([]byte(t.Body))
		t.Body = digestMark + hex.EncodeToString(sum[:16])
	}
	return t
}

// Digested reports whether the body of a task from a list is the digest of one.
func Digested(body string) bool { return strings.HasPrefix(body, digestMark) }

// Body reads the body of a task, and nothing else of it; "" if there is none to be read.
func (s *Store) Body(id task.ID) string {
	src, err := readRegular(s.task(id))
	if err != nil {
		return ""
	}
	return task.CleanBody(string(frontmatter.BodyOf(src)))
}

// Source reads the file of a task as it is, with its revision.
func (s *Store) Source(id task.ID) (string, task.Rev, error) {
	src, err := readRegular(s.task(id))
	if err != nil {
		return "", "", found(id, err)
	}
	return string(src), revOf(src), nil
}
