package proc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

func TestOutputKeepsBothEnds(t *testing.T) {
	for _, size := range []int{0, 1, headSize, headSize + 1, headSize + tailSize, headSize + tailSize + 1, 1 << 20} {
		text := numbers(size)
		for _, chunk := range []int{1, 7, 4096, 100_000} {
			var o Output
			for rest := text; len(rest) > 0; {
				n := min(chunk, len(rest))
				_, _ = o.Write(rest[:n])
				rest = rest[n:]
			}
			if got, want := o.String(), kept(text); got != want {
				t.Errorf("%d bytes in chunks of %d: got %d bytes, want %d", size, chunk, len(got), len(want))
			}
			if o.total != int64(size) {
				t.Errorf("%d bytes in chunks of %d: counted %d", size, chunk, o.total)
			}
		}
	}
}

// kept computes what Output should keep, in a simpler way.
func kept(text []byte) string {
	cut := len(text) - headSize - tailSize
	if cut <= 0 {
		return string(text)
	}
	return fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", text[:headSize], cut, text[headSize+cut:])
}

// numbers returns so many bytes of ASCII text without a period.
func numbers(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%d\n", i)
	}
	return b.Bytes()[:size]
}

func TestOutputCutsNoCharacterInTwo(t *testing.T) {
	for shift := range 4 {
		var o Output
		_, _ = o.Write([]byte(strings.Repeat("x", shift) + strings.Repeat("🪨", 50_000)))
		if s := o.String(); strings.ContainsRune(s, utf8.RuneError) {
			t.Errorf("shifted by %d: a character was cut", shift)
		}
	}
}

func TestOutputIsValidUTF8(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 100, headSize + 3, 200_000} {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		var o Output
		_, _ = o.Write(b)
		if !utf8.ValidString(o.String()) {
			t.Errorf("%d random bytes: not valid", size)
		}
	}
	if _, out := run(t, Command{Line: `printf 'caf\351 \377\376 ok'`}); out.String() != "caf\uFFFD \uFFFD ok" || out.Total() != 10 {
		t.Errorf("got %q, %d bytes", out.String(), out.Total())
	}
}

func TestSlowAFloodOfOutputTakesLittleMemory(t *testing.T) {
	slowtest.Skip(t)
	const size = 200_000_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	end, out := run(t, Command{Line: fmt.Sprintf("yes | head -c %d", size)})
	text := out.String()
	runtime.ReadMemStats(&after)
	if !end.Passed() || out.Total() != size {
		t.Errorf("passed %v, %d bytes", end.Passed(), out.Total())
	}
	if len(text) > headSize+tailSize+100 || !strings.Contains(text, "\n[... 199934464 bytes left out ...]\n") {
		t.Errorf("kept %d bytes: %.40q...", len(text), text)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("it took %d bytes of memory", used)
	}
}
