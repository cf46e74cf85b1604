// Package userconfig reads the user's own config: config.yaml in their folder of settings. It names what runs as the
// user, and who may be told of their work: executors, an embedder, the hosts of webhooks. No repository can say any of
// that.
package userconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Name is the name of the user's config, in the user's folder of settings.
const Name = "config.yaml"

// MaxSize is the most bytes of it.
const MaxSize = 1 << 20

// Config is the user's config. The zero value is that of a user who has none.
type Config struct {
	Path      string // of the file; "" if there is none
	Executors Section
	Embedder  Section
	Webhooks  []string // hosts that may be told of the end of a job
	Notify    Notify
	Sandbox   Sandbox
	Budget    Budget
}

// Budget is what jobs may cost in US dollars, over all of them; 0 is no limit.
type Budget struct {
	Task float64 `yaml:"task"` // all jobs at one task
	Day  float64 `yaml:"day"`  // all jobs of the last 24 hours
}

// Notify says how the user is told of what waits for them.
type Notify struct {
	Command []string `yaml:"command"` // is run with the news as JSON on standard input
	Webhook string   `yaml:"webhook"` // is sent them as JSON
	Ntfy    string   `yaml:"ntfy"`    // the address of a topic
	Board   string   `yaml:"board"`   // where the user's board is, which news lead to
}

// valid returns an error for an address that is none, or that would carry news to another machine without encryption.
func (n Notify) valid(path string) error {
	for key, address := range map[string]string{"webhook": n.Webhook, "ntfy": n.Ntfy, "board": n.Board} {
		u, err := url.Parse(address)
		if address != "" && (err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname()))) {
			return bad(path, "notify.%s is not an address of https, or of http on this machine", key)
		}
	}
	return nil
}

// Sandbox is in what commands run as this user, at least, and what they may do there beside the usual.
type Sandbox struct {
	Checks  string   `yaml:"checks"`  // none or system; "" leaves it to the workspace
	Jobs    string   `yaml:"jobs"`    // none, system or container, likewise
	Read    []string `yaml:"read"`    // what they may read of the home; ~/ begins it, or / another place
	Write   []string `yaml:"write"`   // and write, such as ~/.cache/go-build
	Env     []string `yaml:"env"`     // variables that they get
	Network string   `yaml:"network"` // off, the default, or on
}

// Section is a part of the config, whose keys the package that it is for knows. The zero value is a part that is not
// there.
type Section struct {
	name string
	path string
	node format.Node
}

// Read reads config.yaml in the user's folder of settings. There is nothing in the config if dir is "" or has no such
// file. It returns BAD_FILE, with the path, for what is no regular file of at most MaxSize bytes, or no YAML, or has a
// key that there is not.
func Read(dir string) (Config, error) {
	path, src, err := source(dir)
	if err != nil || src == nil {
		return Config{}, err
	}
	return parse(path, src)
}

// ReadSandbox is the part of Read that says in what commands run. What is wrong in a config that does not speak of it is
// nothing to them.
func ReadSandbox(dir string) (Sandbox, error) {
	path, src, err := source(dir)
	if err != nil || !bytes.Contains(src, []byte("sandbox")) {
		return Sandbox{}, err
	}
	c, err := parse(path, src)
	return c.Sandbox, err
}

// source is the text of the config, nil if there is none.
func source(dir string) (path string, src []byte, err error) {
	if dir == "" {
		return "", nil, nil
	}
	path = filepath.Join(dir, Name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil, nil
	case err != nil:
		return path, nil, err
	case !info.Mode().IsRegular() || info.Size() > MaxSize:
		return path, nil, bad(path, "is not a file of at most %d bytes", MaxSize)
	}
	src, err = layout.ReadInput(path)
	return path, src, err
}

func parse(path string, src []byte) (Config, error) {
	c := Config{Path: path}
	var file format.Node
	if err := format.NewDecoder(bytes.NewReader(src)).Decode(&file); errors.Is(err, io.EOF) {
		return c, nil
	} else if err != nil {
		return Config{}, bad(path, "%v", err)
	}
	root := Section{path: path, node: *file.Content[0]}
	if root.Off() {
		return c, nil
	}
	keys, err := root.Keys()
	if err != nil {
		return Config{}, err
	}
	for _, part := range keys {
		switch part.name {
		case "executors":
			c.Executors = part
		case "embedder":
			c.Embedder = part
		case "webhooks":
			err = part.Decode(&c.Webhooks)
		case "notify":
			if err = part.Decode(&c.Notify); err == nil {
				err = c.Notify.valid(path)
			}
		case "sandbox":
			err = c.sandbox(part)
		case "jobs_budget":
			err = c.budget(part)
		default:
			err = part.Errorf("there is no such key").WithHint("executors, embedder, notify, webhooks, sandbox or jobs_budget")
		}
		if err != nil {
			return Config{}, err
		}
	}
	return c, c.validHosts()
}

func (c *Config) sandbox(part Section) error {
	keys, err := part.Keys()
	if err != nil {
		return err
	}
	for _, k := range keys {
		if !slices.Contains([]string{"checks", "jobs", "read", "write", "env", "network"}, k.Key(part)) {
			return k.Errorf("there is no such key").WithHint("checks, jobs, read, write, env or network")
		}
	}
	if err := part.Decode(&c.Sandbox); err != nil {
		return err
	}
	b := c.Sandbox
	if err := ValidPaths(part, b.Read, b.Write); err != nil {
		return err
	}
	switch {
	case !slices.Contains([]string{"", "off", "on"}, b.Network): // by host no system here can
		return part.Errorf("network is %q", b.Network).WithHint("off or on: it cannot be allowed for some hosts alone")
	case !slices.Contains([]string{"", "none", "system"}, b.Checks):
		return part.Errorf("checks is %q", b.Checks).WithHint("none or system")
	case !slices.Contains([]string{"", "none", "system", "container"}, b.Jobs):
		return part.Errorf("jobs is %q", b.Jobs).WithHint("none, system or container")
	}
	return nil
}

func (c *Config) budget(part Section) error {
	keys, err := part.Keys()
	if err != nil {
		return err
	}
	for _, k := range keys {
		if !slices.Contains([]string{"task", "day"}, k.Key(part)) {
			return k.Errorf("there is no such key").WithHint("task or day, in US dollars")
		}
	}
	if err := part.Decode(&c.Budget); err != nil {
		return err
	}
	if b := c.Budget; !(b.Task >= 0 && b.Day >= 0) { // NaN is no amount
		return part.Errorf("is less than nothing").WithHint("US dollars; 0 is no limit")
	}
	return nil
}

// ValidPaths returns BAD_FILE for a path of a sandbox that begins with neither ~/ nor /.
func ValidPaths(part Section, lists ...[]string) error {
	for _, path := range slices.Concat(lists...) {
		if !strings.HasPrefix(path, "~/") && !filepath.IsAbs(path) {
			return part.Errorf("%q is no path that begins with ~/ or /", path)
		}
	}
	return nil
}

// AtHome are paths of a config, with the home for ~/.
func AtHome(home string, paths []string) []string {
	return record.Each(paths, func(path string) string {
		if below, ok := strings.CutPrefix(path, "~/"); ok {
			return filepath.Join(home, below)
		}
		return path
	})
}

// Off reports whether a section is not there, or holds nothing.
func (s Section) Off() bool { return s.node.IsZero() || s.node.Tag == "!!null" }

// Name is the key of a section, with those above it: executors.mine.
func (s Section) Name() string { return s.name }

// Keys returns what is below the keys of a section, in their order. It returns BAD_FILE if the section is no mapping,
// or has a key twice.
func (s Section) Keys() ([]Section, error) {
	if s.Off() {
		return nil, nil
	}
	node := &s.node
	if node.Kind != format.MappingNode {
		return nil, s.Errorf("is not a mapping")
	}
	var out []Section
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		part := Section{name: key, path: s.path, node: *node.Content[i+1]}
		if s.name != "" {
			part.name = s.name + "." + key
		}
		if slices.ContainsFunc(out, func(o Section) bool { return o.name == part.name }) {
			return nil, part.Errorf("is there twice")
		}
		out = append(out, part)
	}
	return out, nil
}

// Key is the last part of a section's name.
func (s Section) Key(parent Section) string {
	if parent.name == "" {
		return s.name
	}
	return s.name[len(parent.name)+1:]
}

// Decode reads a section into a value, strictly: it returns BAD_FILE, which names the section, for a value of another
// type.
func (s Section) Decode(into any) error {
	if s.Off() {
		return nil
	}
	if err := s.node.Decode(into); err != nil {
		return s.Errorf("%v", err)
	}
	return nil
}

// Errorf is the error that something is wrong with a section.
func (s Section) Errorf(format string, args ...any) *record.Error {
	what := fmt.Sprintf(format, args...)
	if s.name != "" {
		what = s.name + ": " + what
	}
	return bad(s.path, "%s", what)
}

func bad(path, format string, args ...any) *record.Error {
	return record.Errorf(record.BadFile, "%s: %s", path, fmt.Sprintf(format, args...)).WithHint("this is your own config; correct it there")
}

// AllowsWebhook returns nil if the user lets the end of a job be told to an address: it is one of https, or of http on
// this machine, it has no user and password, and its host is in `webhooks`, with the port unless it is the usual one.
// It returns INVALID_INPUT for what is no such address, and FORBIDDEN for a host that is not listed. Whoever calls the
// address follows no redirection, since that could lead to another host.
func (c Config) AllowsWebhook(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return record.Errorf(record.InvalidInput, "webhook is not an address of https")
	case u.User != nil:
		return record.Errorf(record.InvalidInput, "webhook names a user").WithHint("an address is written down; leave secrets out of it")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return record.Errorf(record.InvalidInput, "webhook is sent without encryption to another machine").WithHint("use https")
	case !slices.ContainsFunc(c.Webhooks, func(host string) bool { return sameHost(host, u) }):
		where := c.Path
		if where == "" {
			where = Name + " in your folder of settings"
		}
		return record.Errorf(record.Forbidden, "webhooks to %s are not allowed", u.Host).
			WithHint("a person allows it in %s, under webhooks: [%s]", where, u.Host)
	}
	return nil
}

// sameHost reports whether an entry of the list is the host of an address. An entry without a port stands for the usual
// one of https and of http.
func sameHost(entry string, u *url.URL) bool {
	host, port, err := net.SplitHostPort(entry)
	if err != nil {
		host, port = strings.Trim(entry, "[]"), ""
	}
	usual := map[string]string{"https": "443", "http": "80"}[u.Scheme]
	of := u.Port()
	if of == "" {
		of = usual
	}
	if port == "" {
		port = usual
	}
	return strings.EqualFold(host, u.Hostname()) && port == of
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// validHosts returns an error for an entry of webhooks that can be no host.
func (c Config) validHosts() error {
	for _, host := range c.Webhooks {
		u, err := url.Parse("//" + host)
		if err != nil || u.Host != host || u.Hostname() == "" || strings.ContainsAny(host, " *") {
			return bad(c.Path, "webhooks: %s is not the name of a host", fmt.Sprintf("%q", host)).WithHint("name hosts alone, such as hooks.example.com")
		}
	}
	return nil
}
