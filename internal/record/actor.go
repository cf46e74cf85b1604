package record

import (
	"slices"
	"strings"
)

// Actor is who does something: a kind (human, agent, service or ci), a colon, and a name. It is what a caller says of
// itself; nothing proves it.
type Actor string

// ActorKinds lists what may stand before the colon of an actor.
var ActorKinds = []string{"human", "agent", "service", "ci"}

// ParseActor accepts kind:name; see IsName.
func ParseActor(s string) (Actor, error) {
	kind, name, _ := strings.Cut(s, ":")
	if !slices.Contains(ActorKinds, kind) || !IsName(name) {
		e := Errorf(InvalidInput, "%q is not an actor", Clip(s, 100))
		if IsName(s) {
			return "", e.WithHint("human:%s is a person of that name, agent:%s an agent", s, s)
		}
		return "", e.WithHint("an actor is human:, agent:, service: or ci: and a name of letters of one alphabet, digits and ._@+-, such as agent:claude-1")
	}
	return Actor(s), nil
}

// Human reports whether the actor says it is a person.
func (a Actor) Human() bool { return strings.HasPrefix(string(a), "human:") }

// OrNobody returns the actor in words: "nobody" for none.
func (a Actor) OrNobody() string {
	if a == "" {
		return "nobody"
	}
	return string(a)
}

// Agent reports whether the actor says it is a coding agent.
func (a Actor) Agent() bool { return strings.HasPrefix(string(a), "agent:") }
