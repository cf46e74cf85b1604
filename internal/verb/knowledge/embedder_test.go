package knowledge_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"
	"time"
)

// The program of the tests is also an embedder, if it is called as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "embed" {
		actAsEmbedder(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// synonyms are words that mean the same to the embedder of the tests.
var synonyms = map[string]string{
	"car": "vehicle", "automobile": "vehicle", "repair": "fix", "mend": "fix", "password": "secret", "credential": "secret", "rotate": "renew", "replace": "renew",
}

// embedding is the bag of the words of a text, where synonyms are one word.
func embedding(text string, size int) []float64 {
	v := make([]float64, size)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		word = strings.TrimSuffix(word, "s")
		if same, ok := synonyms[word]; ok {
			word = same
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(word))
		v[h.Sum32()%uint32(size)]++
	}
	return v
}

func actAsEmbedder(how string) {
	if log := os.Getenv("EMBEDDER_LOG"); log != "" {
		f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			dir, _ := os.Getwd()
			fmt.Fprintln(f, "called in", dir)
			defer f.Close()
		}
	}
	switch how {
	case "hangs":
		time.Sleep(time.Hour)
	case "dies":
		fmt.Fprintln(os.Stderr, "no such model\x1b[31m")
		os.Exit(3)
	case "rubbish":
		fmt.Println("Loading model, please wait ...")
	case "endless":
		for {
			fmt.Print(strings.Repeat("x", 1<<16))
		}
	case "noisy":
		fmt.Fprint(os.Stderr, strings.Repeat("progress ", 1<<16))
	}
	size := 256
	if how == "small" {
		size = 64
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for n := 0; in.Scan(); n++ {
		var text string
		if err := json.Unmarshal(in.Bytes(), &text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(4)
		}
		if log := os.Getenv("EMBEDDER_LOG"); log != "" {
			f, _ := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0o600)
			fmt.Fprintf(f, "text %q\n", text)
			f.Close()
		}
		if how == "wavers" && n > 0 {
			size = 64
		}
		out, _ := json.Marshal(embedding(text, size))
		fmt.Println(string(out))
		if how == "stops" && n == 1 {
			time.Sleep(time.Hour)
		}
	}
}
