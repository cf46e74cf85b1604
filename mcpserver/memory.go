package mcpserver

import (
	"runtime"
	"time"
)

// memoryEvery is how often the log says what the server keeps in memory.
const memoryEvery = 10 * time.Minute

// tellMemory says in the log what the server keeps in memory, now and then until stop is called, and once more then.
func (s *Server) tellMemory() (stop func()) {
	done := make(chan struct{})
	go func() {
		every := time.NewTicker(memoryEvery)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				s.logMemory()
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		s.logMemory()
	}
}

func (s *Server) logMemory() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.log.Info("memory", "records", s.w.Reads.Kept(), "heap_mib", m.HeapAlloc>>20, "from_system_mib", m.Sys>>20)
}
