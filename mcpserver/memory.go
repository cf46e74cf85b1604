package mcpserver

import (
	"runtime"
	"sync"
	"time"
)

// memoryEvery is how often the log says what the server keeps in memory.
const memoryEvery = 10 * time.Minute

// tellMemory says in the log what the server keeps in memory, now and then until stop is called, and once more then.
func (s *Server) tellMemory() (stop func()) {
	every := time.NewTicker(memoryEvery)
	end := atEach(every.C, every.Stop, s.logMemory)
	return func() { end(); s.logMemory() }
}

func (s *Server) logMemory() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.log.Info("memory", "records", s.w.Reads.Kept(), "heap_mib", m.HeapAlloc>>20, "from_system_mib", m.Sys>>20)
}

// load counts the bytes that are held for a client: its requests in flight, and the answers that it has not read. While
// it is full no more requests are read, so a client that never reads its answers costs no more than the limit.
type load struct {
	mu    sync.Mutex
	limit int
	bytes int
	freed chan struct{} // gets a value when bytes became less
}

func newLoad(limit int) *load { return &load{limit: limit, freed: make(chan struct{}, 1)} }

// add counts n bytes more; fewer, if n is negative.
func (l *load) add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes += n
	if n < 0 {
		select {
		case l.freed <- struct{}{}:
		default: // a value is waiting already
		}
	}
}

func (l *load) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes >= l.limit
}
