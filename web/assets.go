package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"strings"
	"sync"
)

//go:embed assets pages
var files embed.FS

// assetPath is the address of a file of the server's own, which changes with what the file says.
func assetPath(name string) string { return "/a/" + hashes()[name] + "/" + name }

var hashes = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	all, _ := fs.Glob(files, "assets/*")
	for _, path := range all {
		name := strings.TrimPrefix(path, "assets/")
		sum := sha256.Sum256(assetOf(name))
		out[name] = hex.EncodeToString(sum[:6])
	}
	return out
})

// assetOf is a file as it is sent: without indents, without the comments that have a line of their own, and without the
// blanks around signs and the ends of lines behind them. No line ends with a comment.
func assetOf(name string) []byte {
	src, err := files.ReadFile("assets/" + name)
	if err != nil {
		return nil
	}
	switch name {
	case "app.js", "style.css":
	case "idiomorph.js": // small already; what is not assigned again may as well be
		return bytes.ReplaceAll(src, []byte("const "), []byte("let "))
	default:
		return src
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		comment := strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*") && strings.HasSuffix(line, "*/")
		if line == "" || comment {
			continue
		}
		line = tight.Replace(line)
		ends := ";{,}" // after which no line has to end
		if name == "app.js" {
			line, ends = tightScript.Replace(tightScript.Replace(line)), ";{,"
		}
		if out.WriteString(line); !strings.ContainsAny(line[len(line)-1:], ends) {
			out.WriteByte('\n')
		}
	}
	return bytes.ReplaceAll(out.Bytes(), []byte(";}"), []byte("}"))
}

// tight takes blanks away that mean nothing in scripts and styles. In a text a blank that has to stay is \x20.
var tight = strings.NewReplacer(" => ", "=>", " = ", "=", " === ", "===", " && ", "&&", " || ", "||", "{ ", "{", " }", "}", " {", "{", "; ", ";", ", ", ",", ": ", ":", " > ", ">")

// tightScript takes away more of scripts; in styles some of these mean something.
var tightScript = strings.NewReplacer(
	"const ", "let ", " ? ", "?", " : ", ":", " < ", "<", " + ", "+", " ?? ", "??", " !== ", "!==", " += ", "+=", "if (", "if(", " * ", "*", " - ", "-", " / ", "/",
	" :", ":", "? ", "?", "+ ", "+", "- ", "-", "* ", "*", "for (", "for(", "{ ", "{", ") ", ")", "} ", "}", "] ", "]",
)

var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// asset sends a file of the server's own.
func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	kind, ok := assetTypes[name[max(0, strings.LastIndexByte(name, '.')):]]
	hash, known := hashes()[name]
	if !ok || !known || hash != r.PathValue("hash") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	w.Header().Set("Vary", "Accept-Encoding")
	content := assetOf(name)
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		content = zipped(content)
	}
	_, _ = w.Write(content)
}

// zipped is a file as it is sent to a browser.
func zipped(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(content) // a buffer takes all
	_ = z.Close()
	return b.Bytes()
}
