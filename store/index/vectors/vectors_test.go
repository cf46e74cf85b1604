package vectors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

func nothing() error { return nil }

func keep(t *testing.T, s *Set, path string, keys []string) {
	t.Helper()
	if err := s.Keep(path, nothing, keys); err != nil {
		t.Fatal(err)
	}
}

func TestVectorsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors")
	s := Load(path, "model")
	if !s.Add("a", []float32{1, 2}) || !s.Add("b", []float32{-0.5, 0}) || !s.Add("old", []float32{3, 3}) {
		t.Fatal("vectors are refused")
	}
	keep(t, s, path, []string{"a", "b", "never embedded"})
	s = Load(path, "model")
	if !slices.Equal(s.Of("a"), []float32{1, 2}) || !slices.Equal(s.Of("b"), []float32{-0.5, 0}) || s.Of("old") != nil {
		t.Errorf("kept %v", s.known)
	}
	if got := Load(path, "other model"); got.Of("a") != nil {
		t.Error("vectors of another embedder are used")
	}
	for _, bad := range [][]float32{nil, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}, make([]float32, MaxSize+1)} {
		if s.Add("c", bad) {
			t.Errorf("%d numbers are taken", len(bad))
		}
	}
	if s.Add("c", []float32{1, 2, 3}); s.Of("a") != nil || s.size != 3 {
		t.Error("vectors of two sizes are kept")
	}
}

// What two processes add at once is kept, as far as one of them saw it.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors")
	one, other := Load(path, "m"), Load(path, "m")
	one.Add("a", []float32{1})
	other.Add("b", []float32{2})
	keep(t, one, path, nil)
	keep(t, other, path, nil)
	if s := Load(path, "m"); s.Of("a") == nil || s.Of("b") == nil {
		t.Errorf("kept %v", s.known)
	}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 20 {
				s := Load(path, "m")
				s.Add(fmt.Sprint(n, i), []float32{float32(n)})
				_ = s.Keep(path, nothing, nil)
			}
		})
	}
	all.Wait()
	if s := Load(path, "m"); s.size != 1 || s.Of("a") == nil {
		t.Errorf("after many there are %d", len(s.known))
	}
}

// A file that is damaged is none, and no bytes make a set fail or grow beyond them.
func FuzzDecode(f *testing.F) {
	s := Load("", "m")
	s.Add("a", []float32{1, 2})
	good := s.encode(s.named(nil))
	f.Add(good)
	f.Add(good[:headerSize])
	f.Fuzz(func(t *testing.T, src []byte) {
		s := Load("", "m")
		if s.decode(src); len(s.known) > 0 && !bytes.Equal(src, good) && len(src) < headerSize {
			t.Errorf("%q gives %v", src, s.known)
		}
		if len(src) >= headerSize {
			src = bytes.Clone(src)
			binary.LittleEndian.PutUint32(src[12:], sumOf(src))
			s = Load("", "m")
			s.decode(src)
			for _, v := range s.known {
				if len(v) != s.size || len(v)*4 > len(src) {
					t.Errorf("a vector has %d numbers", len(v))
				}
			}
		}
	})
}

func TestSimilarity(t *testing.T) {
	for _, c := range []struct {
		a, b []float32
		want float64
	}{
		{[]float32{1, 0}, []float32{2, 0}, 1}, {[]float32{1, 0}, []float32{0, 1}, 0}, {[]float32{1, 0}, []float32{-1, 0}, -1},
		{[]float32{0, 0}, []float32{1, 1}, 0}, {[]float32{1}, []float32{1, 1}, 0}, {nil, nil, 0},
	} {
		if got := Similarity(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v and %v are alike by %v", c.a, c.b, got)
		}
	}
}

func TestOutage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors")
	if _, ok := OutageOf(path, "m"); ok {
		t.Error("there is one from the start")
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := (Outage{"m", at, "hangs"}).Write(path, nothing); err != nil {
		t.Fatal(err)
	}
	if o, ok := OutageOf(path, "m"); !ok || !o.At.Equal(at) || o.Reason != "hangs" {
		t.Errorf("got %+v", o)
	}
	if _, ok := OutageOf(path, "other"); ok {
		t.Error("it is that of another embedder too")
	}
	if err := os.WriteFile(path+"-outage", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := OutageOf(path, "m"); ok {
		t.Error("a damaged one counts")
	}
}
