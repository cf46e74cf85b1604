// Package notify tells the user of what waits for them, as their own config says: by a command of theirs, a webhook, or
// ntfy. What is sent opens a page at most; nothing in it answers anything.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
)

// News is something that waits for the user.
type News struct {
	What  string    `json:"what"` // question, review, failed
	Task  record.ID `json:"task"`
	Title string    `json:"title"`          // of the task, or the question
	Text  string    `json:"text,omitempty"` // more of it
	From  string    `json:"from,omitempty"` // who asks, or worked
	Job   string    `json:"job,omitempty"`
	Next  string    `json:"next"`           // the command that leads on
	Link  string    `json:"link,omitempty"` // the page to open, where the config names a board
}

// limit is how long one way of telling may take.
const limit = 10 * time.Second

// Tell tells the user. Each way is tried, and the errors of all are returned. Without notify in the config it does
// nothing. What comes from agents is made one harmless line each.
func Tell(ctx context.Context, configDir, version string, n News) error {
	user, err := userconfig.Read(configDir)
	if err != nil {
		return err
	}
	how := user.Notify
	for _, text := range []*string{&n.Title, &n.Text, &n.From} {
		*text = record.Clip(harmless.Line(strings.Join(strings.Fields(*text), " ")), 500)
	}
	if how.Board != "" {
		n.Link = strings.TrimSuffix(how.Board, "/") + "/task/" + url.PathEscape(string(n.Task))
	}
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	var failed []error
	if len(how.Command) > 0 {
		failed = append(failed, run(ctx, how.Command, n, body))
	}
	if how.Webhook != "" {
		failed = append(failed, Post(ctx, how.Webhook, version, http.Header{"Content-Type": {"application/json"}}, body))
	}
	if how.Ntfy != "" {
		head := http.Header{"Title": {ascii(n.What + ": " + n.Title)}, "Content-Type": {"text/plain"}}
		if n.Link != "" {
			head.Set("Click", n.Link)
		}
		failed = append(failed, Post(ctx, how.Ntfy, version, head, []byte(strings.TrimSpace(n.Text+"\n"+n.Next))))
	}
	return errors.Join(failed...)
}

// ascii is a text for a header, where other letters may not stand.
func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}

func run(ctx context.Context, command []string, n News, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.WaitDelay = bytes.NewReader(body), time.Second
	cmd.Env = append(os.Environ(), "CAIRN_NEWS="+n.What+": "+n.Title, "CAIRN_NEWS_TASK="+string(n.Task))
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the command of notify: %w", err)
	}
	return nil
}

// Post sends a body to an address. It follows no redirect, which could lead to another host. What is not answered within
// ten seconds, or with another status than 2xx, is an error.
func Post(ctx context.Context, address, version string, head http.Header, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = head
	req.Header.Set("User-Agent", "cairn/"+version)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10))
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s answered %s", req.URL.Host, answer.Status)
	}
	return nil
}
