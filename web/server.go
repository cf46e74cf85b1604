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
	w        verb.Workspace
	log      *slog.Logger
	person   func() error
	doors    doors
	live     *hub
	reads    chan struct{} // turns
	writes   chan struct{}
	listener net.Listener
	host     string // address that requests have to name
	port     string
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
	s := &Server{
		w: w, log: o.Log, person: o.Person, doors: newDoors(),
		reads: make(chan struct{}, atOnce), writes: make(chan struct{}, atOnce), mux: http.NewServeMux(),
	}
	if o.Listener != nil {
		s.listener = o.Listener
		s.port = strconv.Itoa(o.Listener.Addr().(*net.TCPAddr).Port)
		s.host = net.JoinHostPort("127.0.0.1", s.port)
	}
	s.live = newHub(s)
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
	s.mux.HandleFunc("GET /a/{hash}/{name}", s.asset)
	s.mux.HandleFunc("GET /enter", s.door)
	s.mux.HandleFunc("POST /enter", s.enter)
	s.mux.HandleFunc("GET /{$}", s.within(func(w http.ResponseWriter, r *http.Request, _ *visitor) {
		http.Redirect(w, r, "/board", http.StatusSeeOther)
	}))
	for path, screen := range screens() {
		s.mux.HandleFunc("GET "+path, s.within(s.screen(screen)))
	}
	s.mux.HandleFunc("GET /live", s.within(s.stream))
	s.mux.HandleFunc("POST /do/{verb}", s.within(s.do))
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
	return "http://" + s.host + "/enter#" + s.doors.key()
}
