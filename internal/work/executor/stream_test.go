package executor

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// talks are all dialects whose lines are JSON, and that of a command.
func talks(s *stream) map[string]talk {
	out := map[string]talk{"command": newCommandTalk(s)}
	for _, r := range shipped() {
		if r.hear != nil {
			out[r.name] = heard{s, r.hear}
		}
	}
	return out
}

// Whatever a program writes, an event is a text of valid UTF-8 that is not too long.
func FuzzLines(f *testing.F) {
	for _, line := range []string{
		`{"type":"result","subtype":"success","is_error":true,"result":"x","session_id":"s"}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Bash","input":{"command":["a","b"]}}]}}`,
		`{"type":"user","message":{"content":"text"}}`, `{"type":"item.completed","item":{"type":"todo_list","items":[1,{"text":2}]}}`,
		`{"type":"tool_call","subtype":"completed","tool_call":{"readToolCall":{"args":7,"result":[]}}}`, `{"type":"tool_use","part":{"state":null}}`,
		`{"type":"result","exitCode":"0"}`, `{"type":"tool_result","value":[{"text":"x"}]}`, `{"type":7}`, "\xff\xfe", `{"type":"error","message":{}}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for name := range talks(&stream{}) {
			s := &stream{run: Run{Event: func(e job.Event) {
				if len(e.Text) > job.MaxEventText || !utf8.ValidString(e.Text) {
					t.Errorf("%s: event of %d bytes: %q", name, len(e.Text), e.Text)
				}
			}}}
			talk := talks(s)[name]
			talk.line([]byte(line))
			talk.closed(0, "")
		}
	})
}

// Lines as the programs write them, where one is easily taken for another.
func TestLinesThatMislead(t *testing.T) {
	for name, test := range map[string]struct {
		dialect, lines string
		done, failed   bool
		final          string
	}{
		"claude says success and means failure": {"claude", `{"type":"result","subtype":"success","is_error":true,"result":"Not logged in"}`, true, true, "Not logged in"},
		"claude runs out of turns":              {"claude", `{"type":"result","subtype":"error_max_turns","is_error":false}`, true, true, "error_max_turns"},
		"what a subagent says is not final": {"claude", `{"type":"assistant","message":{"content":[{"type":"text","text":"mine"}]}}
			{"type":"assistant","parent_tool_use_id":"1","message":{"content":[{"type":"text","text":"its"}]}}`, false, false, "mine"},
		"codex reconnects and then succeeds": {"codex", `{"type":"error","message":"Reconnecting... 1/5"}
			{"type":"item.completed","item":{"type":"agent_message","text":"ok"}}
			{"type":"turn.completed","usage":{}}`, true, false, "ok"},
		"codex fails after an answer": {"codex", `{"type":"item.completed","item":{"type":"agent_message","text":"half"}}
			{"type":"turn.failed","error":{"message":"usage limit"}}`, true, true, "half"},
		"opencode ends a step for tools": {"opencode", `{"type":"step_finish","part":{"reason":"tool-calls"}}`, false, false, ""},
		"opencode ends its last step": {"opencode", `{"type":"text","part":{"text":"ok"}}
			{"type":"step_finish","part":{"reason":"stop"}}`, true, false, "ok"},
		"opencode goes on after a last step": {"opencode", `{"type":"step_finish","part":{"reason":"stop"}}
			{"type":"step_start","part":{}}`, false, false, ""},
		"opencode fails and ends with 0":      {"opencode", `{"type":"error","error":{"name":"APIError","data":{"message":"no credit"}}}`, true, true, "APIError: no credit"},
		"copilot fails and ends with 0":       {"copilot", `{"type":"result","exitCode":1}`, true, true, ""},
		"copilot asks for tools without text": {"copilot", `{"type":"assistant.message","data":{"content":"","toolRequests":[{}]}}`, false, false, ""},
		"droid completes":                     {"droid", `{"type":"completion","finalText":"ok"}`, true, false, "ok"},
		"amp wants a login":                   {"amp", `No API key found. Starting login flow...`, true, true, "it is not logged in"},
		"a second end":                        {"claude", `{"type":"result","subtype":"success","result":"one"}` + "\n" + `{"type":"result","subtype":"success","is_error":true,"result":"two"}`, true, false, "one"},
	} {
		s := &stream{}
		talk := talks(s)[test.dialect]
		for _, line := range strings.Split(test.lines, "\n") {
			talk.line([]byte(strings.TrimSpace(line)))
		}
		talk.closed(0, "")
		if r := s.result; r.Done != test.done || r.Failed != test.failed || r.Final != test.final {
			t.Errorf("%s: done %v, failed %v, %q", name, r.Done, r.Failed, r.Final)
		}
	}
}

func TestTextsAreCutBetweenCharacters(t *testing.T) {
	for text, want := range map[string][2]string{"aéa": {"aé", "éa"}, "ééé": {"é", "é"}, "abc": {"abc", "abc"}, "\xffab": {"\uFFFD", "\uFFFDab"}} {
		if a, b := clipped(text, 3), ending(text, 3); a != want[0] || b != want[1] {
			t.Errorf("%q: %q and %q", text, a, b)
		}
	}
}

func TestStandInsAreNotLookedAtAgain(t *testing.T) {
	s := row{}.standIns(Run{Prompt: "use {model}", Model: "{prompt}", Dir: "/d"})
	got := s.words([]group{{"{prompt}"}, {"--model", "{model}"}, {"--budget", "{budget}"}, {"--resume={resume}"}, {"--dir={dir}"}})
	if want := "use {model}|--model|{prompt}|--dir=/d"; strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
}

func TestStringsOfTOML(t *testing.T) {
	if got := tomlString("a\"b\\c\nd\x7fé"); got != `"a\"b\\c\nd\u007Fé"` {
		t.Error(got)
	}
}
