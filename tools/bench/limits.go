package main

import (
	"fmt"
	"time"
)

// measured is everything that was measured of one workspace.
type measured struct {
	tasks   int
	rich    bool
	figures []figure
	calls   []figure
}

func (m measured) name() string {
	if m.rich {
		return grouped(m.tasks) + " rich"
	}
	return grouped(m.tasks) + " plain"
}

// figure finds what was measured under a name.
func (m measured) figure(name string) figure {
	for _, f := range append(m.figures[:len(m.figures):len(m.figures)], m.calls...) {
		if f.name == name {
			return f
		}
	}
	return figure{name: name}
}

// ms is the median of a figure in milliseconds: of the whole process, or of a call.
func (m measured) ms(name string) float64 { return millis(median(m.figure(name).wall)) }

// work is the median of what a yardstick says its work took, without the start of its process.
func (m measured) work(name string) float64 { return millis(median(m.figure(name).inner)) }

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// limit is what a figure may be beside a yardstick of the same run.
type limit struct {
	name string
	of   func(measured) float64
	most func(tasks int) float64 // 0 for no limit at this size
	unit string                  // "" for a ratio
}

// limits are held by medians. What a write or a list takes is held against the start of cairn and the bare work.
var limits = []limit{
	ratio("version / empty program", always(3), nameVersion, func(m measured) float64 { return m.ms(nameEmpty) }),
	ratio("show / version", always(1.3), nameShow, start),
	ratio("create / (version + one durable write)", always(2), nameCreate, startAnd(nameWrite)),
	ratio("claim / (version + one durable write)", always(2), nameClaim, startAnd(nameWrite)),
	ratio("note / (version + one durable write)", always(2), nameNote, startAnd(nameWrite)),
	ratio("list / (version + stat of all)", lists, nameList, startAnd(nameStat)),
	ratio("list --ready / (version + stat of all)", lists, nameReady, startAnd(nameStat)),
	ratio("list --text / (version + stat of all)", lists, nameSearch, startAnd(nameStat)),
	ratio("check / read of all", at(map[int]float64{10_000: 12}), nameCheck, func(m measured) float64 { return m.work(nameRead) }),
	ratio("doctor / check", always(2), nameDoctor, func(m measured) float64 { return m.ms(nameCheck) }),
	{
		name: "MCP: list, ready", unit: " ms",
		of:   func(m measured) float64 { return m.ms(callReady) },
		most: at(map[int]float64{1_000: 1.5, 10_000: 4, 100_000: 40}),
	},
}

func ratio(name string, most func(int) float64, part string, whole func(measured) float64) limit {
	return limit{name: name, most: most, of: func(m measured) float64 {
		if of := whole(m); of > 0 {
			return m.ms(part) / of
		}
		return 0
	}}
}

func start(m measured) float64 { return m.ms(nameVersion) }

func startAnd(name string) func(measured) float64 {
	return func(m measured) float64 { return start(m) + m.work(name) }
}

func always(most float64) func(int) float64 { return func(int) float64 { return most } }

func at(most map[int]float64) func(int) float64 {
	return func(tasks int) float64 { return most[tasks] }
}

func lists(tasks int) float64 {
	if tasks > 10_000 {
		return 2.5
	}
	return 2
}

// missed names every limit that a workspace is beyond.
func missed(all []measured) []string {
	var out []string
	for _, m := range all {
		for _, l := range limits {
			if got, most := l.of(m), l.most(m.tasks); most > 0 && got > most {
				out = append(out, fmt.Sprintf("%s tasks: %s is %.2f%s, more than %g%s", m.name(), l.name, got, l.unit, most, l.unit))
			}
		}
	}
	return out
}
