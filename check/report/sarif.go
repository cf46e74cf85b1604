package report

import (
	"bytes"
	"io"
	"net/url"
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// sarif writes one run with every rule and every finding. Paths are from the top of the repository.
func (r Report) sarif(out io.Writer) error {
	run := sarif.NewRunWithInformationURI("cairn", home)
	run.Tool.Driver.WithVersion(r.Version)
	for _, rule := range proof.Rules {
		run.Tool.Driver.AddRule(descriptor(rule))
	}
	names := r.fingerprints()
	for i, f := range r.Findings {
		run.AddResult(r.result(f, names[i]))
	}
	doc := sarif.NewReport().AddRun(run)
	var b bytes.Buffer
	if err := doc.PrettyWrite(&b); err != nil {
		return err
	}
	_, err := io.WriteString(out, harmless.JSON(b.String())+"\n")
	return err
}

func descriptor(rule proof.Rule) *sarif.ReportingDescriptor {
	return sarif.NewReportingDescriptor().WithID(string(rule.ID)).
		WithShortDescription(sarif.NewMultiformatMessageString().WithText(rule.Summary)).
		WithHelp(sarif.NewMultiformatMessageString().WithText(rule.Fix)).
		WithHelpURI(manual(rule.ID)).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(levels[rule.Severity])).
		WithProperties(sarif.NewPropertyBag().AddTag(string(rule.Group)))
}

// levels are SARIF's words for severities.
var levels = map[proof.Severity]string{
	proof.Error: sarif.LevelError, proof.Warning: sarif.LevelWarning, proof.Notice: sarif.LevelNote,
}

func (r Report) result(f proof.Finding, fingerprint string) *sarif.Result {
	location := sarif.NewPhysicalLocation().WithArtifactLocation(
		sarif.NewArtifactLocation().WithURI((&url.URL{Path: r.inRepo(f)}).String()).WithURIBaseID("%SRCROOT%"))
	if f.Line > 0 {
		location.WithRegion(sarif.NewRegion().WithStartLine(f.Line))
	}
	return sarif.NewResult().WithRuleID(string(f.Rule)).
		WithRuleIndex(slices.IndexFunc(proof.Rules, func(rule proof.Rule) bool { return rule.ID == f.Rule })).
		WithLevel(levels[f.Severity]).
		WithMessage(sarif.NewTextMessage(described(f))).
		WithLocations([]*sarif.Location{sarif.NewLocation().WithPhysicalLocation(location)}).
		WithPartialFingerprints(map[string]string{"cairn/v1": fingerprint})
}
