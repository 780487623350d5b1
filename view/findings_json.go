package view

import (
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/prove"
)

// CheckReport is the JSON form of a report about a description.
type CheckReport struct {
	Findings    []CheckFinding `json:"findings"`
	Silenced    []CheckFinding `json:"silenced,omitempty"`
	Claims      []CheckClaim   `json:"claims"`
	Generations []uint32       `json:"generations,omitempty"`
}

// CheckFinding is the JSON form of a finding.
type CheckFinding struct {
	Code    string `json:"code"`
	Level   string `json:"level"`
	Message string `json:"message"`
	CheckPlace
	Related []CheckRelated `json:"related,omitempty"`
	// Generations are the generations in which the finding occurs. They are absent if it occurs in all generations that
	// were checked.
	Generations []uint32       `json:"generations,omitempty"`
	Root        string         `json:"root,omitempty"`
	Picture     []CheckRow     `json:"picture,omitempty"`
	Witnesses   []CheckWitness `json:"witnesses,omitempty"`
	Reason      string         `json:"reason,omitempty"`
}

// CheckPlace is a range of a file; lines and columns count from 1, columns in characters. An instruction of a program
// has an address in bytes from the start of the program, the name of the program if the file has several, and the text
// of the instruction.
type CheckPlace struct {
	File      string `json:"file,omitempty"`
	Program   string `json:"program,omitempty"`
	Address   *int64 `json:"address,omitempty"`
	Text      string `json:"text,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
}

// CheckRelated is another place that a finding concerns.
type CheckRelated struct {
	Message string `json:"message"`
	CheckPlace
}

// CheckRow is a line of a picture, the most significant bit first.
type CheckRow struct {
	Label string `json:"label"`
	Bits  string `json:"bits"`
}

// CheckWitness is a word that demonstrates a finding.
type CheckWitness struct {
	Word       string            `json:"word"`
	Bits       int               `json:"bits"`
	Generation uint32            `json:"generation"`
	Contexts   []string          `json:"contexts,omitempty"`
	Entries    map[string]string `json:"entries,omitempty"`
	Match      bool              `json:"match"`
	Text       string            `json:"text"`
	Findings   []string          `json:"findings,omitempty"`
}

// CheckClaim is a claim about the description. Proved is set if it was proved.
type CheckClaim struct {
	Text   string `json:"text"`
	Proved bool   `json:"proved"`
}

// NewCheckReport converts a report to its JSON form.
func NewCheckReport(r *prove.Report) CheckReport {
	out := CheckReport{Findings: []CheckFinding{}, Claims: []CheckClaim{}}
	for i := range r.Findings {
		out.Findings = append(out.Findings, newCheckFinding(&r.Findings[i]))
	}
	for i := range r.Suppressed {
		out.Silenced = append(out.Silenced, newCheckFinding(&r.Suppressed[i]))
	}
	for _, c := range r.Claims {
		out.Claims = append(out.Claims, CheckClaim(c))
	}
	if len(r.Gens) > 1 {
		out.Generations = r.Gens
	}
	return out
}

func newCheckFinding(f *prove.Finding) CheckFinding {
	out := CheckFinding{
		Code: string(f.Code), Level: f.Level.String(), Message: f.Msg, CheckPlace: placeOf(f.Span),
		Generations: f.Gens, Root: f.Root, Reason: f.Reason,
	}
	for _, n := range f.Notes {
		out.Related = append(out.Related, CheckRelated{n.Msg, placeOf(n.Span)})
	}
	for _, r := range f.Rows {
		out.Picture = append(out.Picture, CheckRow(r))
	}
	for i := range f.Witnesses {
		w := &f.Witnesses[i]
		x := CheckWitness{Word: w.Hex(), Bits: w.Size, Generation: w.Gen, Contexts: w.Contexts, Match: w.Matched, Text: w.Text, Findings: w.Findings}
		for name, v := range w.Entries {
			if x.Entries == nil {
				x.Entries = map[string]string{}
			}
			x.Entries[name] = v.String()
		}
		out.Witnesses = append(out.Witnesses, x)
	}
	return out
}

func placeOf(s diag.Span) CheckPlace {
	if !s.IsValid() {
		return CheckPlace{}
	}
	p := CheckPlace{File: s.Src.Name}
	if c := s.Src.Code; c != nil {
		p.Program, p.Address, p.Text = c.Program, &c.Address, s.Src.Text
		return p
	}
	p.Line, p.Column = s.LineCol()
	end := diag.Span{Src: s.Src, Off: max(s.End, s.Off)}
	p.EndLine, p.EndColumn = end.LineCol()
	return p
}

// SARIF is a log of version 2.1.0 of the Static Analysis Results Interchange Format (OASIS, 2020). It has only the
// members that a report needs.
type SARIF struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	ColumnKind  string            `json:"columnKind"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string       `json:"id"`
	Short sarifMessage `json:"shortDescription"`
	Help  sarifMessage `json:"help"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful bool `json:"executionSuccessful"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifMessage       `json:"message"`
	Locations    []sarifLocation    `json:"locations,omitempty"`
	Related      []sarifLocation    `json:"relatedLocations,omitempty"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	Properties   *sarifProperties   `json:"properties,omitempty"`
}

type sarifLocation struct {
	ID       int           `json:"id,omitempty"`
	Physical sarifPhysical `json:"physicalLocation"`
	Message  *sarifMessage `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
	Address  *sarifAddress `json:"address,omitempty"`
}

// sarifAddress is a place in a program, in bytes from its start.
type sarifAddress struct {
	Relative int64  `json:"relativeAddress"`
	Program  string `json:"name,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

type sarifProperties struct {
	Witnesses []CheckWitness `json:"witnesses,omitempty"`
	Picture   []CheckRow     `json:"picture,omitempty"`
}

// NewSARIF converts a report to SARIF. version is the version of isago.
func NewSARIF(r *prove.Report, version string) SARIF {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "isago", Version: version, Rules: []sarifRule{}}}, ColumnKind: "unicodeCodePoints",
		Invocations: []sarifInvocation{{Successful: true}}, Results: []sarifResult{},
	}
	index := map[string]int{}
	codes := diag.Codes()
	for _, list := range [][]prove.Finding{r.Findings, r.Suppressed} {
		for i := range list {
			f := newCheckFinding(&list[i])
			if _, ok := index[f.Code]; !ok {
				index[f.Code] = len(run.Tool.Driver.Rules)
				k := slices.IndexFunc(codes, func(c diag.CodeInfo) bool { return string(c.Code) == f.Code })
				rule := sarifRule{ID: f.Code}
				if k >= 0 {
					rule.Short.Text = strings.TrimPrefix(codes[k].Meaning, "check: ")
					rule.Help.Text = "For example: " + codes[k].Example
				}
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
			}
			run.Results = append(run.Results, newResult(f, index[f.Code]))
		}
	}
	return SARIF{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}

func newResult(f CheckFinding, rule int) sarifResult {
	res := sarifResult{RuleID: f.Code, RuleIndex: rule, Level: f.Level, Message: sarifMessage{f.Message}}
	if f.File != "" {
		res.Locations = []sarifLocation{{Physical: physical(f.CheckPlace)}}
	}
	for i, n := range f.Related {
		res.Related = append(res.Related, sarifLocation{ID: i + 1, Physical: physical(n.CheckPlace), Message: &sarifMessage{n.Message}})
	}
	if f.Reason != "" {
		res.Suppressions = []sarifSuppression{{"inSource", f.Reason}}
	}
	if f.Witnesses != nil || f.Picture != nil {
		res.Properties = &sarifProperties{f.Witnesses, f.Picture}
	}
	return res
}

func physical(p CheckPlace) sarifPhysical {
	uri := strings.ReplaceAll(p.File, " ", "%20")
	if p.Address != nil {
		return sarifPhysical{Artifact: sarifArtifact{uri}, Address: &sarifAddress{*p.Address, p.Program}}
	}
	return sarifPhysical{Artifact: sarifArtifact{uri}, Region: &sarifRegion{p.Line, p.Column, p.EndLine, p.EndColumn}}
}
