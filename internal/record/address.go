package record

import (
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// RepoOf is a repository by the URL of a remote: host and path, such as github.com/o/r. It reads https, http, ssh and
// git URLs, the form git@github.com:o/r.git, and what it returns itself. Credentials, the ending .git and the usual
// port of the scheme are left out. It returns "" for anything else, such as a path on this machine, and for a path with
// an @ within a part of it: what stands before that may be a password, as in user.name:password@github.com/o/r.
func RepoOf(remote string) string {
	scheme, rest, isURL := strings.Cut(remote, "://")
	port := map[string]string{"https": ":443", "http": ":80", "ssh": ":22", "git+ssh": ":22", "git": ":9418"}[strings.ToLower(scheme)]
	switch {
	case isURL && port == "":
		return ""
	case !isURL:
		rest = fromScp(remote)
	}
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	host, name, _ := strings.Cut(rest, "/")
	host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
	if isURL {
		host = strings.TrimSuffix(host, port)
	}
	name = strings.TrimSuffix(strings.Trim(name, "/"), ".git")
	hasUser := slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.LastIndexByte(part, '@') > 0 })
	odd := strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' })
	if !isHost(host) || name == "" || hasUser || odd || path.Clean("/"+name) != "/"+name || len(host)+len(name) >= MaxLine {
		return ""
	}
	return host + "/" + name
}

// fromScp turns user@host:path into host/path. A colon that is followed by a number and a slash is before a port.
func fromScp(remote string) string {
	host, name, ok := strings.Cut(remote, ":")
	port, _, _ := strings.Cut(name, "/")
	if _, err := strconv.Atoi(port); !ok || strings.Contains(host, "/") || err == nil && strings.Contains(name, "/") {
		return remote
	}
	if len(host[strings.LastIndexByte(host, '@')+1:]) < 2 { // a drive
		return ""
	}
	return host + "/" + strings.TrimLeft(name, "/")
}

// isHost reports whether a text is the name of a host, which has a dot in it or is localhost, perhaps with a port.
func isHost(s string) bool {
	name, port, hasPort := strings.Cut(s, ":")
	if hasPort && (port == "" || strings.Trim(port, "0123456789") != "") {
		return false
	}
	return IsWord(name, ".-") && (strings.Contains(strings.Trim(name, "."), ".") && name[0] != '.' || name == "localhost")
}

// CleanURL is an address of the web without credentials, or "" for what is none. What is left of the address stays as
// it was written.
func CleanURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	query, fragment := withoutSecrets(u.RawQuery), withoutSecrets(u.EscapedFragment())
	if u.User == nil && query == u.RawQuery && fragment == u.EscapedFragment() {
		return address
	}
	u.User, u.RawQuery, u.Fragment, u.RawFragment = nil, query, "", ""
	if fragment == "" {
		return u.String()
	}
	return u.String() + "#" + fragment
}

// secrets are the parameters of addresses by which services take credentials, in lower case and with underscores. Those
// that only end in one, after an underscore, are as secret: private_token, x_amz_signature.
var secrets = []string{
	"token", "password", "passwd", "pwd", "secret", "sig", "signature", "auth", "authorization", "credential", "credentials", "jwt",
	"apikey", "api_key", "app_key", "access_key", "accesskey", "secret_key", "private_key", "subscription_key", "accesstoken", "authtoken", "access_key_id",
}

// withoutSecrets is a query, or the fragment of an address in the form of one, without the parameters that are
// credentials.
func withoutSecrets(query string) string {
	var out strings.Builder
	for rest := query; rest != ""; {
		end := strings.IndexAny(rest, "&;") + 1
		if end == 0 {
			end = len(rest)
		}
		if !isSecret(rest[:end]) {
			out.WriteString(rest[:end])
		}
		rest = rest[end:]
	}
	if out.Len() == len(query) {
		return query
	}
	return strings.TrimRight(out.String(), "&;")
}

// isSecret reports whether a parameter, as it is written in an address, is a credential.
func isSecret(parameter string) bool {
	key, _, ok := strings.Cut(parameter, "=")
	if plain, err := url.QueryUnescape(key); err == nil {
		key = plain
	}
	key = strings.ReplaceAll(strings.ToLower(key), "-", "_")
	return ok && slices.ContainsFunc(secrets, func(s string) bool { return key == s || strings.HasSuffix(key, "_"+s) })
}
