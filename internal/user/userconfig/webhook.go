package userconfig

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

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
