package embed

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/user/userconfig"
)

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

const usualTimeout = 10 * time.Second

// ReadConfig returns which embedder the user has set up, in the config in their folder of settings. There is none if
// there is no such file, or nothing in it about one. An error says what is wrong with it.
func ReadConfig(dir string) (Config, error) {
	file, err := userconfig.Read(dir)
	if err != nil {
		return Config{}, err
	}
	c, err := of(file.Embedder)
	c.dir = dir
	return c, err
}

func of(s userconfig.Section) (Config, error) {
	var c Config
	if s.Off() {
		return c, nil
	}
	keys, err := s.Keys()
	if err != nil {
		return c, err
	}
	for _, k := range keys {
		switch key := k.Key(s); key {
		case "command", "url", "model", "remote", "key_env", "timeout":
		default:
			return c, s.Errorf("has no key %q", key)
		}
	}
	if err := s.Decode(&c); err != nil {
		return c, err
	}
	if err := c.valid(); err != nil {
		return c, s.Errorf("%v", err)
	}
	return c, nil
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
