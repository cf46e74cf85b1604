package embed

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/layout"
	"gopkg.in/yaml.v3"
)

// ConfigName is the name of the user's config, in the user's folder of settings.
const ConfigName = "config.yaml"

// Config is the embedder that a user has set up: a command, or an address. The zero value is none.
type Config struct {
	Command []string `yaml:"command"` // a program and its arguments
	URL     string   `yaml:"url"`     // where the API of OpenAI is spoken, such as http://127.0.0.1:11434/v1
	Model   string   `yaml:"model"`
	Remote  bool     `yaml:"remote"`  // the address may be on another machine
	KeyEnv  string   `yaml:"key_env"` // the variable of the environment that holds the key of the API
	Timeout int      `yaml:"timeout"` // seconds that one call may take; 0 for usualTimeout

	dir string // in which a command runs
}

const (
	usualTimeout = 10 * time.Second
	maxConfig    = 1 << 20 // bytes
)

// ReadConfig reads which embedder the user has set up, in config.yaml in their folder of settings. There is none if there is no such file, or
// nothing in it about one. An error says what is wrong with it.
func ReadConfig(dir string) (Config, error) {
	if dir == "" {
		return Config{}, nil
	}
	path := filepath.Join(dir, ConfigName)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return Config{}, nil
	case err != nil:
		return Config{}, err
	case !info.Mode().IsRegular() || info.Size() > maxConfig:
		return Config{}, fmt.Errorf("%s is not a file of at most %d bytes", path, maxConfig)
	}
	src, err := layout.ReadInput(path)
	if err != nil {
		return Config{}, err
	}
	c, err := parse(src)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	c.dir = dir
	return c, nil
}

func parse(src []byte) (Config, error) {
	var file struct {
		Embedder yaml.Node `yaml:"embedder"`
	}
	if err := yaml.Unmarshal(src, &file); err != nil {
		return Config{}, err
	}
	if file.Embedder.IsZero() || file.Embedder.Tag == "!!null" {
		return Config{}, nil
	}
	var c Config
	if err := known(&file.Embedder); err != nil {
		return c, err
	}
	if err := file.Embedder.Decode(&c); err != nil {
		return c, fmt.Errorf("embedder: %w", err)
	}
	if err := c.valid(); err != nil {
		return c, fmt.Errorf("embedder: %w", err)
	}
	return c, nil
}

// known returns an error for a key that an embedder does not have.
func known(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return errors.New("embedder is not a mapping")
	}
	for i := 0; i < len(n.Content); i += 2 {
		switch key := n.Content[i].Value; key {
		case "command", "url", "model", "remote", "key_env", "timeout":
		default:
			return fmt.Errorf("embedder has no key %q", key)
		}
	}
	return nil
}

func (c Config) valid() error {
	switch {
	case (len(c.Command) > 0) == (c.URL != ""):
		return errors.New("names either a command or a url")
	case c.Timeout < 0 || c.Timeout > 600:
		return errors.New("timeout is 1 to 600 seconds")
	case c.URL != "":
		return c.validURL()
	}
	program := c.Command[0]
	if program == "" || strings.ContainsAny(program, `/\`) && !filepath.IsAbs(program) {
		return fmt.Errorf("command begins with %q: name a program on PATH, or an absolute path", program)
	}
	for _, word := range c.Command {
		if strings.ContainsRune(word, 0) {
			return errors.New("command has a NUL")
		}
	}
	return nil
}

func (c Config) validURL() error {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("url is %q, which is no address of http or https", c.URL)
	}
	if !c.Remote && !isLoopback(u.Hostname()) {
		return fmt.Errorf("url is on another machine, %s, which would get what notes say; remote: true allows it", u.Hostname())
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Off reports whether the user has set up no embedder.
func (c Config) Off() bool { return len(c.Command) == 0 && c.URL == "" }

// name tells the embedder from others, whose vectors cannot be compared with its own.
func (c Config) name() string { return fmt.Sprintf("%q %q %q", c.Command, c.URL, c.Model) }

func (c Config) timeout() time.Duration {
	if c.Timeout == 0 {
		return usualTimeout
	}
	return time.Duration(c.Timeout) * time.Second
}
