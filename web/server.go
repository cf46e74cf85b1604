package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/watch"
	"golang.org/x/net/netutil"
)

// Server shows a workspace to the browsers of one actor.
type Server struct {
	*painter
	door     *door
	writes   *writer
	listener net.Listener
	mux      *http.ServeMux
}

// Options are what a server is given besides its workspace.
type Options struct {
	Listener net.Listener // as Listen returns it; nil for a server that writes files and answers nobody
	Log      *slog.Logger
	Person   func() error // why nobody at this server can confirm what only a person may do; nil where a person can
}

// atOnce is how many reads, and how many writes, run at once; the others wait for their turn.
const atOnce = 8

// New makes a server. Each call runs on a copy of w, so what it says about actor and rights holds for its life.
func New(w verb.Workspace, o Options) *Server {
	w.Confirm, w.Approve, w.Progress, w.Output = nil, nil, nil, nil
	if w.Watcher == nil {
		watcher := &watch.Watcher{}
		w.Watcher, w.Reads = watcher, verb.NewSharedReads(watcher)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	reads := &reader{w: w, turns: make(chan struct{}, atOnce)}
	d := &painter{reads: reads, live: newHub(reads), log: o.Log}
	s := &Server{
		painter: d, door: &door{painter: d, keys: newDoors()}, listener: o.Listener, mux: http.NewServeMux(),
		writes: &writer{painter: d, turns: make(chan struct{}, atOnce), person: o.Person},
	}
	if o.Listener != nil {
		s.door.port = strconv.Itoa(o.Listener.Addr().(*net.TCPAddr).Port)
		s.door.host = net.JoinHostPort("127.0.0.1", s.door.port)
	}
	s.routes()
	return s
}

// Listen takes a port of this machine that nobody else can reach; 0 for a free one. It returns IO if the port is taken.
func Listen(port int) (net.Listener, error) {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return nil, record.Errorf(record.IO, "cannot listen on port %d: %w", port, err).
			WithHint("another program may hold it; without a port a free one is taken")
	}
	return l, nil
}

func (s *Server) routes() {
	s.mux.HandleFunc("GET /a/{hash}/{name}", asset)
	s.mux.HandleFunc("GET /enter", s.door.show)
	s.mux.HandleFunc("POST /enter", s.door.enter)
	s.mux.HandleFunc("GET /{$}", s.door.within(func(w http.ResponseWriter, r *http.Request, _ *visitor) {
		http.Redirect(w, r, "/board", http.StatusSeeOther)
	}))
	for path, screen := range screens() {
		s.mux.HandleFunc("GET "+path, s.door.within(s.screen(screen)))
	}
	s.mux.HandleFunc("GET /", s.door.within(s.screen(screen{"broken", "No such page", func(_ *reader, r *http.Request) (any, error) {
		return nil, record.Errorf(record.NotFound, "there is no page at %s", r.URL.Path)
	}})))
	s.mux.HandleFunc("GET /do/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "a form is posted", http.StatusMethodNotAllowed)
	})
	s.mux.HandleFunc("GET /theme", s.door.within(choose))
	s.mux.HandleFunc("GET /live", s.door.within(s.live.stream))
	s.mux.HandleFunc("POST /do/{verb}", s.door.within(s.writes.do))
}

// Serve answers until ctx ends. It closes the listener, and returns the error that ended the listening, if there was
// one.
func (s *Server) Serve(ctx context.Context) error {
	open, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	go s.live.run(open)
	srv := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return open },
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(netutil.LimitListener(s.listener, maxConns)) }()
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	s.live.close()
	end, giveUp := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer giveUp()
	_ = srv.Shutdown(end) // what is not answered by then is cut off
	hangUp()
	return errors.Join(err, srv.Close())
}

// endTime is how long the end of a server waits for requests in flight.
const endTime = 1500 * time.Millisecond

// Link is a new address at which a browser enters, once.
func (s *Server) Link() string {
	return "http://" + s.door.host + "/enter#" + s.door.keys.key()
}
