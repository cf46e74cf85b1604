package board

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/charmbracelet/x/ansi"
)

// fake is a workspace of which a test decides everything.
type fake struct {
	columns []Column
	broken  verb.Problems
	err     error // of the next load
	refuse  error // of each call
	asks    bool  // a person has to be asked
	shows   string
	panics  string // the method that does
	hangs   bool   // calls wait for their end
	starts  func(verb.Row, record.Status) bool

	queries []Query
	calls   []string
}

func (f *fake) Load(_ context.Context, q Query) (Board, error) {
	f.queries = append(f.queries, q)
	if f.panics == "load" {
		panic("no such file")
	}
	if f.err != nil {
		return Board{}, f.err
	}
	b := Board{Name: "SHOP", Starts: f.starts, States: []record.Status{"todo", "doing", "review", "done", "dropped"}, Problems: f.broken}
	for _, c := range f.columns {
		c.Tasks = slices.Clone(c.Tasks[:min(len(c.Tasks), q.Wanted(c.Name))])
		b.Columns = append(b.Columns, c)
	}
	return b, nil
}

func (f *fake) Wait(ctx context.Context) { <-ctx.Done() }

func (f *fake) Show(_ context.Context, id record.ID, _ int) (string, error) {
	return f.shows + string(id), f.refuse
}

func (f *fake) Do(ctx context.Context, name string, in map[string]any, report func(string)) (verb.Task, error) {
	f.calls = append(f.calls, fmt.Sprint(name, " ", in))
	if f.hangs {
		report("check 1 of 2")
		<-ctx.Done()
		return verb.Task{}, ctx.Err()
	}
	if f.asks {
		return verb.Task{}, ErrAsks
	}
	return f.changed(in)
}

func (f *fake) changed(in map[string]any) (verb.Task, error) {
	if f.refuse != nil {
		return verb.Task{}, f.refuse
	}
	id, _ := in["id"].(string)
	if id == "" {
		id = "SHOP-new"
		f.columns[0].Tasks = append(f.columns[0].Tasks, row(id))
	}
	if to, ok := in["to"].(string); ok {
		f.move(record.ID(id), to)
	}
	return verb.Task{Row: row(id)}, nil
}

// move takes a task to the end of a column.
func (f *fake) move(id record.ID, to string) {
	for i, c := range f.columns {
		f.columns[i].Tasks = slices.DeleteFunc(slices.Clone(c.Tasks), func(r verb.Row) bool { return r.ID == id })
		if c.Name == to || c.Closed && to == "done" {
			f.columns[i].Tasks = append(f.columns[i].Tasks, row(string(id)))
		}
		f.columns[i].Total = len(f.columns[i].Tasks)
	}
}

func (f *fake) Ask(_ context.Context, name string, in map[string]any) Away {
	f.calls = append(f.calls, fmt.Sprint("ask ", name, " ", in))
	return &fakeAway{}
}

func (f *fake) Edit(_ context.Context, id record.ID) Away {
	f.calls = append(f.calls, "edit "+string(id))
	return &fakeAway{}
}

func (f *fake) Explain(err error) (text, hint string) {
	var e *record.Error
	if errors.As(err, &e) {
		return e.Msg, fmt.Sprint(e.Hint)
	}
	return err.Error(), ""
}

type fakeAway struct{}

func (*fakeAway) Run() error          { return nil }
func (*fakeAway) SetStdin(io.Reader)  {}
func (*fakeAway) SetStdout(io.Writer) {}
func (*fakeAway) SetStderr(io.Writer) {}
func (*fakeAway) Result() verb.Task   { return verb.Task{} }

func row(id string) verb.Row {
	return verb.Row{ID: record.ID(id), Title: "Title of " + id, Urgency: 2}
}

func rows(prefix string, n int) []verb.Row {
	var out []verb.Row
	for i := range n {
		out = append(out, row(fmt.Sprintf("SHOP-%s%d", prefix, i)))
	}
	return out
}

func shop() *fake {
	column := func(name string, n int) Column {
		return Column{Name: name, States: []record.Status{record.Status(name)}, Total: n, Tasks: rows(name, n)}
	}
	closed := column("closed", 3)
	closed.States, closed.Closed = []record.Status{"done", "dropped"}, true
	return &fake{columns: []Column{column("todo", 30), column("doing", 2), column("review", 0), closed}}
}

// desk is a board with a person before it.
type desk struct {
	*Model
	t    *testing.T
	fake *fake
	quit bool
}

func sit(t *testing.T, f *fake, width, height int) *desk {
	t.Helper()
	first, err := f.Load(t.Context(), Query{})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{Model: New(t.Context(), f, true, Query{}, first), t: t, fake: f}
	d.every = func() tea.Cmd { return nil }
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	return d
}

// send gives the model a message, and the messages of the commands that come of it.
func (d *desk) send(msg tea.Msg) {
	d.t.Helper()
	_, cmd := d.Update(msg)
	d.run(cmd)
}

func (d *desk) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case tea.QuitMsg:
		d.quit = true
	default:
		d.send(msg)
	}
}

// key names of keys that are no characters.
var special = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "backspace": {Code: tea.KeyBackspace}, "home": {Code: tea.KeyHome},
	"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+w": {Code: 'w', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl},
}

// press types keys: names of special ones, and the characters of other words.
func (d *desk) press(keys ...string) *desk {
	d.t.Helper()
	for _, k := range keys {
		if msg, ok := special[k]; ok {
			d.send(msg)
			continue
		}
		for _, r := range k {
			d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return d
}

func (d *desk) text() string {
	lines, _ := d.screen()
	return ansi.Strip(strings.Join(lines, "\n"))
}

func (d *desk) sees(want string) {
	d.t.Helper()
	if !strings.Contains(d.text(), want) {
		d.t.Errorf("the screen has no %q:\n%s", want, d.text())
	}
}

func (d *desk) selects(want record.ID) {
	d.t.Helper()
	if got, _ := d.selected(); got.ID != want {
		d.t.Errorf("selected is %q, want %q", got.ID, want)
	}
}

// Whatever the size of the window, every line fits, there are as many lines as the window has, and the selected card
// can be seen.
func TestScreenFitsTheWindow(t *testing.T) {
	f := shop()
	f.columns[0].Tasks[7].Title = "寿司を食べる 👩‍🚀 " + strings.Repeat("very long ", 30)
	f.columns[0].Tasks[8].Title = strings.Repeat("unbroken", 40)
	for i := range f.columns[0].Tasks {
		r := &f.columns[0].Tasks[i]
		r.BlockedBy, r.Labels, r.Assignee = []record.ID{"SHOP-a", "SHOP-b", "SHOP-c"}, []string{"api", "読む"}, "human:somebody-with-a-long-name"
	}
	for _, width := range []int{1, 2, 5, 10, 20, 26, 40, 60, 80, 100, 200, 300} {
		for _, height := range []int{1, 2, 3, 6, 10, 24, 60} {
			d := sit(t, f, width, height)
			for range 12 {
				d.press("down")
				lines, _ := d.screen()
				if len(lines) != height {
					t.Fatalf("%d by %d: %d lines", width, height, len(lines))
				}
				d.press("v", "v")
				for _, line := range lines {
					if n := ansi.WcWidth.StringWidth(line); n > width {
						t.Errorf("%d by %d: a line is %d wide: %q", width, height, n, line)
					}
				}
				if selected, _ := d.selected(); width >= 40 && height >= 10 && !strings.Contains(d.text(), "▌ "+string(selected.ID)) {
					t.Errorf("%d by %d: %s cannot be seen:\n%s", width, height, selected.ID, d.text())
				}
			}
			for _, mode := range []string{"?", "q", "m", "x", "/", "esc", "v", "down", "G", "v", "enter"} {
				d.press(mode)
				if lines, _ := d.screen(); len(lines) != height {
					t.Fatalf("%d by %d, %s: %d lines", width, height, mode, len(lines))
				}
			}
		}
	}
}

// A narrow window shows fewer columns, and says which; the selection brings the others into it.
func TestColumnsScroll(t *testing.T) {
	d := sit(t, shop(), 60, 24)
	d.sees("todo 30 doing 2 review 0 closed 3")
	if strings.Contains(d.text(), "│ review") {
		t.Errorf("three columns at 60:\n%s", d.text())
	}
	d.press("right", "right")
	d.sees("│ review 0")
	d.press("right", "right", "right")
	d.sees("│ closed 3")
	d.selects("SHOP-closed0")
	d.send(tea.WindowSizeMsg{Width: 200, Height: 24})
	d.sees("todo 30")
	d.sees("closed 3")
	d.send(tea.WindowSizeMsg{Width: 30, Height: 24})
	d.sees("column 4 of 4")
	d.press("left", "left")
	d.selects("SHOP-doing0")
}

func TestCardsScroll(t *testing.T) {
	d := sit(t, shop(), 80, 20)
	d.press(slices.Repeat([]string{"down"}, 10)...)
	d.selects("SHOP-todo10")
	d.sees("▌ SHOP-todo10 P2")
	d.sees("↑")
	d.press("G")
	d.selects("SHOP-todo29")
	d.sees("▌ SHOP-todo29 P2")
	d.press("g")
	d.selects("SHOP-todo0")
	d.press("up")
	d.selects("SHOP-todo0")
}

// Of a long column the first page is loaded, more when the selection comes near its end, and all for its last card.
func TestLongColumnsLoadAsTheyAreRead(t *testing.T) {
	f := shop()
	f.columns[0] = Column{Name: "todo", States: []record.Status{"todo"}, Total: 10000, Tasks: rows("todo", 10000)}
	d := sit(t, f, 80, 24)
	if n := len(d.column().Tasks); n != Page {
		t.Fatalf("%d are loaded at first", n)
	}
	d.press(slices.Repeat([]string{"down"}, 60)...)
	if n := len(d.column().Tasks); n <= Page || n > 5*Page {
		t.Errorf("%d are loaded near the end of the page", n)
	}
	d.press("G")
	d.selects("SHOP-todo9999")
	d.sees("▌ SHOP-todo9999")
}

func TestSelectionFollowsTheTask(t *testing.T) {
	f := shop()
	d := sit(t, f, 200, 40)
	d.press("down", "down")
	d.selects("SHOP-todo2")
	f.columns[0].Tasks = slices.Insert(slices.Clone(f.columns[0].Tasks), 0, row("SHOP-urgent"))
	d.run(d.reload())
	d.selects("SHOP-todo2") // another came before it
	f.move("SHOP-todo2", "doing")
	d.run(d.reload())
	d.selects("SHOP-todo2") // it was moved by somebody
	if d.column().Name != "doing" {
		t.Errorf("the selection is in %s", d.column().Name)
	}
	f.columns[1].Tasks, f.columns[1].Total = f.columns[1].Tasks[:2], 2
	d.run(d.reload())
	d.selects("SHOP-doing1") // it is gone, and its neighbour takes its place
}

func TestMoves(t *testing.T) {
	f := shop()
	d := sit(t, f, 200, 40)
	d.press(">")
	d.selects("SHOP-todo0")
	d.sees("SHOP-todo0 moved to doing")
	d.press("m", "3", "m", "x", "<", "right", "right", ">")
	want := []string{"transition map[id:SHOP-todo0 to:doing]", "transition map[id:SHOP-todo0 to:review]", "transition map[id:SHOP-todo0 to:doing]"}
	if got := f.calls; !slices.Equal(got[:3], want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	d.sees("there is no column there")
}

// Whoever moves a task to where work is done starts it; another move is a move.
func TestMoveToWorkStarts(t *testing.T) {
	f := shop()
	f.starts = func(_ verb.Row, to record.Status) bool { return to == "doing" }
	d := sit(t, f, 200, 40)
	d.press(">", "m", "3")
	if want := []string{"start map[id:SHOP-todo0]", "transition map[id:SHOP-todo0 to:review]"}; !slices.Equal(f.calls, want) {
		t.Errorf("calls %q, want %q", f.calls, want)
	}
}

// u takes back the last write to the selected task, U the last undo.
func TestUndo(t *testing.T) {
	f := shop()
	d := sit(t, f, 200, 40)
	d.press("down", "u")
	d.sees("SHOP-todo1 your last write to it is taken back; U brings it again")
	d.press("U")
	d.sees("SHOP-todo1 the last undo is taken back")
	want := []string{"undo map[confirm:true id:SHOP-todo1 redo:false]", "undo map[confirm:true id:SHOP-todo1 redo:true]"}
	if !slices.Equal(f.calls, want) {
		t.Errorf("calls %q, want %q", f.calls, want)
	}
}

// v shows a line a task, so that many fit, and the selected one can be seen.
func TestCompact(t *testing.T) {
	f := shop()
	f.columns[0].Tasks[3].Assignee, f.columns[0].Tasks[3].Labels = "human:lee", []string{"api"}
	d := sit(t, f, 120, 20)
	if strings.Contains(d.text(), "SHOP-todo9 ") {
		t.Errorf("ten cards fit:\n%s", d.text())
	}
	d.press("v")
	d.sees("SHOP-todo14 ")
	d.sees("@lee")
	if strings.Contains(d.text(), "#api") {
		t.Errorf("a line has labels:\n%s", d.text())
	}
	d.press("G")
	d.selects("SHOP-todo29")
	d.sees("▌ SHOP-todo29")
	d.press("v")
	d.sees("▌ SHOP-todo29 P2")
}

// A refusal is shown with its hint, and nothing else happens.
func TestRefusal(t *testing.T) {
	f := shop()
	f.refuse = record.Errorf(record.DepsOpen, "waits for SHOP-1").WithHint("cairn show SHOP-1")
	d := sit(t, f, 200, 40)
	d.press(">")
	d.sees("waits for SHOP-1")
	d.sees("hint: ")
	d.selects("SHOP-todo0")
	d.press("down")
	if strings.Contains(d.text(), "waits for") {
		t.Error("the refusal stays after the next key")
	}
	d.press("enter")
	d.sees("waits for SHOP-1")
}

func TestInputs(t *testing.T) {
	f := shop()
	d := sit(t, f, 200, 40)
	d.press("c", "r", "n", "looked at  it", "enter", "n", "esc", "n", "enter", "a", "Buy milkx", "backspace", "enter")
	want := []string{
		"claim map[id:SHOP-todo0]", "release map[id:SHOP-todo0]", "note map[id:SHOP-todo0 text:looked at  it]", "create map[title:Buy milk]",
	}
	if !slices.Equal(f.calls, want) {
		t.Errorf("calls\n%q, want\n%q", f.calls, want)
	}
	d.selects("SHOP-new")
	f.calls = nil
	d.press("t", "1 maybe", "enter")
	d.sees("say whether the check passes")
	d.press("t", "1 pass I read it", "enter", "t", "enter")
	if want := []string{"attest map[check:1 id:SHOP-new pass:true text:I read it]"}; !slices.Equal(f.calls, want) {
		t.Errorf("calls %q, want %q", f.calls, want)
	}
}

func TestEditingALine(t *testing.T) {
	d := sit(t, shop(), 80, 24)
	d.press("a", "one two", "ctrl+w", "three", "home", "0", "left", "right", "backspace", "x")
	d.send(tea.PasteMsg{Content: "a\nb\x1b[31m"})
	if got := string(d.input.text); got != "xa b\x1b[31mone three" {
		t.Errorf("the line is %q", got)
	}
	if strings.Contains(d.View().Content, "\x1b[31mone") {
		t.Error("what was pasted reaches the terminal as it is")
	}
	d.press("ctrl+u")
	if got := string(d.input.text); got != "one three" {
		t.Errorf("the line is %q", got)
	}
}

// The filter counts as it is typed; esc drops it.
func TestFilters(t *testing.T) {
	f := shop()
	d := sit(t, f, 200, 40)
	d.press("/", "ap", "enter", "w", "priority<2", "enter", "@")
	var texts []string
	for _, q := range f.queries {
		texts = append(texts, fmt.Sprint(q.Text, "|", q.Where, "|", q.Mine))
	}
	want := []string{"||false", "a||false", "ap||false", "ap||false", "ap|priority<2|false", "ap|priority<2|true"}
	if !slices.Equal(texts, want) {
		t.Errorf("queries %q, want %q", texts, want)
	}
	d.sees("find: ap  where: priority<2  mine")
	d.press("esc")
	if q := d.query; q.Text+q.Where != "" || q.Mine {
		t.Errorf("esc leaves %+v", q)
	}
	f.err = record.Errorf(record.InvalidInput, "where: no such field")
	d.press("w", "nonsense", "enter")
	d.sees("no such field")
	if d.query.Where != "" {
		t.Error("a filter that was refused stays")
	}
}

// What was shown stays while the files cannot be read, and the line about it goes away once they can.
func TestUnreadable(t *testing.T) {
	f := shop()
	d := sit(t, f, 200, 40)
	f.err = errors.New("config.yaml: broken")
	d.run(d.reload())
	d.sees("config.yaml: broken")
	d.sees("SHOP-todo0")
	f.err = nil
	d.run(d.reload())
	if strings.Contains(d.text(), "broken") {
		t.Error("the line stays")
	}
}

// Work runs beside the board, and esc interrupts it.
func TestLongWork(t *testing.T) {
	f := shop()
	f.hangs = true
	d := sit(t, f, 200, 40)
	_, cmd := d.Update(tea.KeyPressMsg{Code: '>', Text: ">"})
	ended := make(chan tea.Msg)
	batch := cmd().(tea.BatchMsg)
	go func() { ended <- batch[0]() }()
	d.Update(batch[1]()) // the report; the command that waits for the next one is left alone
	d.send(second{})
	d.sees("moving SHOP-todo0 to doing: check 1 of 2")
	d.sees("1 s, esc interrupts")
	d.press("c", "q")
	if d.quit {
		t.Error("the board ended beside work")
	}
	d.press("esc")
	d.send(<-ended)
	d.sees("interrupted")
	f.hangs = false
	d.press("q")
	if !d.quit {
		t.Error("q does not quit")
	}
}

// What asks a person, and the editor, have the terminal to themselves.
func TestAway(t *testing.T) {
	f := shop()
	f.asks = true
	d := sit(t, f, 200, 40)
	d.press("t", "0 pass", "enter")
	d.press("e")
	want := []string{"attest map[check:0 id:SHOP-todo0 pass:true]", "ask attest map[check:0 id:SHOP-todo0 pass:true]", "edit SHOP-todo0"}
	if !slices.Equal(f.calls, want) {
		t.Errorf("calls %q, want %q", f.calls, want)
	}
}

func TestPages(t *testing.T) {
	f := shop()
	f.shows = strings.Repeat("line\n", 100)
	d := sit(t, f, 80, 24)
	d.press("enter")
	d.sees("lines 1-21 of 101")
	d.press("G")
	d.sees("SHOP-todo0\n")
	d.press("g", "j", "?")
	d.sees("todo 30")
	d.press("?")
	d.sees("interrupt what runs")
	d.press("q")
	if d.quit {
		t.Error("q in the help ends the board")
	}
	d.press("ctrl+c")
	if !d.quit || !d.Interrupted {
		t.Error("ctrl+c does not end the board")
	}
}

// The text of a page may come after the person went on. It does not come between what they do then, whether it could be
// made or not.
func TestTextThatComesLate(t *testing.T) {
	for _, refuse := range []error{nil, errors.New("no such task")} {
		f := shop()
		d := sit(t, f, 80, 24)
		f.shows, f.refuse = "as it was ", refuse
		_, late := d.Update(special["enter"])
		d.press("q")
		d.run(late)
		if d.quit || strings.Contains(d.View().Content, "as it was") {
			t.Errorf("a page opens by itself, or q was not about the page:\n%s", d.View().Content)
		}
		f.refuse = nil
		d.press("enter")
		late = d.refill() // something has changed
		f.refuse = refuse
		d.press("q", "a", "Count ")
		d.run(late)
		f.refuse = nil
		d.press("the stock", "enter")
		if want := []string{"create map[title:Count the stock]"}; !slices.Equal(f.calls, want) {
			t.Errorf("calls %q, want %q", f.calls, want)
		}
	}
}

// Of two texts of a page the one that was asked for last stays, also if it comes first.
func TestTextsThatOvertake(t *testing.T) {
	f := shop()
	d := sit(t, f, 80, 24)
	d.press("enter")
	older, newer := d.refill(), d.refill()
	f.shows = "new "
	d.run(newer)
	f.shows = "old "
	d.run(older)
	d.sees("new SHOP-todo0")
}

// A state that is chosen is for the task that was asked about, also if that has moved or gone meanwhile.
func TestChoiceForATaskThatMoves(t *testing.T) {
	f := shop()
	d := sit(t, f, 80, 24)
	d.press("m")
	f.columns[0].Tasks = f.columns[0].Tasks[1:]
	d.run(d.reload())
	d.sees("move SHOP-todo0 to")
	d.press("2")
	if want := []string{"transition map[id:SHOP-todo0 to:doing]"}; !slices.Equal(f.calls, want) {
		t.Errorf("calls %q, want %q", f.calls, want)
	}
}

// Text from a file reaches the terminal without its escapes, wherever it stands.
func TestHarmless(t *testing.T) {
	f := shop()
	const evil = "a\x1b]0;owned\a\x1b[2Jb\u202e"
	r := verb.Row{ID: "SHOP-1", Title: evil, Assignee: "human:" + evil, Labels: []string{evil}, BlockedBy: []record.ID{evil}, Due: evil, Execution: evil,
		Elsewhere: &verb.Elsewhere{Status: evil, Branch: evil}}
	f.columns[0] = Column{Name: evil, States: []record.Status{evil}, Total: 1, Tasks: []verb.Row{r}}
	f.columns[3].Tasks[0] = r
	f.refuse = errors.New(evil)
	d := sit(t, f, 200, 40)
	check := func() {
		t.Helper()
		text := d.View().Content
		for _, bad := range []string{"\x1b]", "\x1b[2J", "\a", "\u202e"} {
			if strings.Contains(text, bad) {
				t.Errorf("the screen has %q", bad)
			}
		}
	}
	check()
	for _, key := range []string{"m", "x", ">", "n", "esc", "/", "esc"} {
		d.press(key)
		check()
	}
	d.board.Name = evil
	check()
	if text := Text(d.board, 0); strings.Contains(text, "\x1b") {
		t.Errorf("the text has an escape: %q", text)
	}
}

// Without colours nothing but bold and reverse is written.
func TestNoColour(t *testing.T) {
	d := sit(t, shop(), 200, 40)
	d.paint = false
	for seq := range strings.SplitSeq(d.View().Content, "\x1b[") {
		code, _, _ := strings.Cut(seq, "m")
		if len(code) < 6 && strings.Trim(code, "0123456789;") == "" && strings.Trim(code, "017;") != "" {
			t.Errorf("a colour: %q", code)
		}
	}
}

// A panic ends the board with an error, so that bubbletea gives the terminal back.
func TestPanics(t *testing.T) {
	f := shop()
	d := sit(t, f, 80, 24)
	f.panics = "load"
	d.run(d.reload())
	if d.Failed == nil || !d.quit {
		t.Errorf("failed %v, quit %v", d.Failed, d.quit)
	}
	d = sit(t, shop(), 80, 24)
	d.board.Columns = d.board.Columns[:1]
	d.at.column = 3 // no message makes that
	d.View()
	d.press("j")
	if d.Failed == nil || !d.quit {
		t.Errorf("after a panic of View: failed %v, quit %v", d.Failed, d.quit)
	}
}

// Broken files are named in one line.
func TestBrokenFiles(t *testing.T) {
	f := shop()
	d := sit(t, f, 100, 24)
	f.broken.ProblemsTotal = 3
	f.broken.Problems = append(f.broken.Problems, problemOf(".cairn/tasks/X.md", "line 3: no colon"))
	d.run(d.reload())
	d.sees("cannot read .cairn/tasks/X.md: line 3: no colon and 2 more")
}

// A workspace without a task says how the first is made; one whose tasks are filtered away does not.
func TestNothingYet(t *testing.T) {
	const hint = "There are no tasks yet: a adds the first."
	f := shop()
	for i := range f.columns {
		f.columns[i].Tasks, f.columns[i].Total = nil, 0
	}
	d := sit(t, f, 80, 24)
	d.sees(hint)
	d.query.Text = "nothing has this word"
	if strings.Contains(d.View().Content, hint) {
		t.Error("it says so of a board that is filtered")
	}
}
