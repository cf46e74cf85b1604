package report

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// The part of SARIF 2.1.0 that a report has: the names are those of the standard, and what is left out has the default
// that it gives.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string             `json:"id"`
		ShortDescription sarifText          `json:"shortDescription"`
		Help             sarifText          `json:"help"`
		HelpURI          string             `json:"helpUri"`
		Default          sarifConfiguration `json:"defaultConfiguration"`
		Properties       sarifProperties    `json:"properties"`
	}
	sarifConfiguration struct {
		Level string `json:"level"`
	}
	sarifProperties struct {
		Tags []string `json:"tags"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPlace `json:"physicalLocation"`
	}
	sarifPlace struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI     string `json:"uri"`
		URIBase string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarif writes one run with every rule and every finding. Paths are from the top of the repository.
func (r Report) sarif(b *bytes.Buffer) error {
	run := sarifRun{
		Tool:    sarifTool{sarifDriver{Name: "cairn", Version: r.Version, InformationURI: home}},
		Results: []sarifResult{}, // there is a list, which may be empty
	}
	for _, rule := range proof.Rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: string(rule.ID), ShortDescription: sarifText{rule.Summary}, Help: sarifText{rule.Fix}, HelpURI: manual(rule.ID),
			Default: sarifConfiguration{levels[rule.Severity]}, Properties: sarifProperties{Tags: []string{string(rule.Group)}},
		})
	}
	names := r.fingerprints()
	for i, f := range r.Findings {
		run.Results = append(run.Results, r.result(f, names[i]))
	}
	text, err := json.MarshalIndent(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}}, "", "  ")
	if err != nil {
		return err
	}
	b.WriteString(harmless.JSON(string(text)) + "\n")
	return nil
}

// levels are SARIF's words for severities.
var levels = map[proof.Severity]string{proof.Error: "error", proof.Warning: "warning", proof.Notice: "note"}

func (r Report) result(f proof.Finding, fingerprint string) sarifResult {
	place := sarifPlace{Artifact: sarifArtifact{URI: (&url.URL{Path: r.inRepo(f)}).String(), URIBase: "%SRCROOT%"}}
	if f.Line > 0 {
		place.Region = &sarifRegion{f.Line}
	}
	return sarifResult{
		RuleID:       string(f.Rule),
		RuleIndex:    slices.IndexFunc(proof.Rules, func(rule proof.Rule) bool { return rule.ID == f.Rule }),
		Level:        levels[f.Severity],
		Message:      sarifText{described(f)},
		Locations:    []sarifLocation{{place}},
		Fingerprints: map[string]string{"cairn/v1": fingerprint},
	}
}
