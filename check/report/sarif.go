package report

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// object is a part of a SARIF log. The names are those of the standard, and what is left out has the default that it
// gives.
type object map[string]any

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarif writes one run with every rule and every finding. Paths are from the top of the repository.
func (r Report) sarif(b *bytes.Buffer) error {
	driver := object{"name": "cairn", "informationUri": home}
	if r.Version != "" {
		driver["version"] = r.Version
	}
	rules := make([]object, len(proof.Rules))
	for i, rule := range proof.Rules {
		rules[i] = object{
			"id": rule.ID, "shortDescription": object{"text": rule.Summary}, "help": object{"text": rule.Fix}, "helpUri": manual(rule.ID),
			"defaultConfiguration": object{"level": levels[rule.Severity]}, "properties": object{"tags": []proof.Group{rule.Group}},
		}
	}
	driver["rules"] = rules
	names, results := r.fingerprints(), make([]object, len(r.Findings))
	for i, f := range r.Findings {
		results[i] = r.result(f, names[i])
	}
	run := object{"tool": object{"driver": driver}, "results": results}
	text, err := json.MarshalIndent(object{"$schema": sarifSchema, "version": "2.1.0", "runs": []object{run}}, "", "  ")
	if err != nil {
		return err
	}
	b.WriteString(harmless.JSON(string(text)) + "\n")
	return nil
}

// levels are SARIF's words for severities.
var levels = map[proof.Severity]string{proof.Error: "error", proof.Warning: "warning", proof.Notice: "note"}

func (r Report) result(f proof.Finding, fingerprint string) object {
	place := object{"artifactLocation": object{"uri": (&url.URL{Path: r.inRepo(f)}).String(), "uriBaseId": "%SRCROOT%"}}
	if f.Line > 0 {
		place["region"] = object{"startLine": f.Line}
	}
	return object{
		"ruleId":              f.Rule,
		"ruleIndex":           slices.IndexFunc(proof.Rules, func(rule proof.Rule) bool { return rule.ID == f.Rule }),
		"level":               levels[f.Severity],
		"message":             object{"text": described(f)},
		"locations":           []object{{"physicalLocation": place}},
		"partialFingerprints": object{"cairn/v1": fingerprint},
	}
}
