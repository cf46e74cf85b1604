package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The picture: how the figures of rich tasks grow with their number, on axes that grow by factors.
const (
	pictureWidth, pictureHeight  = 820, 520
	plotLeft, plotTop            = 64.0, 56.0
	plotRight, plotBottom        = 590.0, 462.0
	labelLeft, labelGap, tickLen = 606.0, 19.0, 5.0
)

// curves are the lines of the picture. Yardsticks are dashed.
var curves = []struct {
	name   string
	colour string
	dashed bool
}{
	{nameCheck, "#e0662a", false},
	{nameList, "#3b82f6", false},
	{nameReady, "#14a38b", false},
	{nameSearch, "#a855f7", false},
	{nameShow, "#ec4899", false},
	{nameRead, "#8a8f98", true},
	{nameStat, "#8a8f98", true},
	{nameWrite, "#8a8f98", true},
	{nameEmpty, "#8a8f98", true},
}

// style is what depends on whether the reader likes it light or dark.
const style = `<style>
  text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 }
  .axis { stroke: #57606a; fill: none }
  .grid { stroke: #d0d7de; stroke-width: 0.6 }
  .back { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .axis { stroke: #9ea7b3 }
    .grid { stroke: #30363d }
    .back { fill: #0d1117 }
  }
</style>
`

type point struct{ x, y float64 }

// curve is one line, and where its name stands.
type curve struct {
	name, colour string
	dashed       bool
	points       []point
	label        float64 // y of its name
}

// plane turns tasks and milliseconds into places of the picture.
type plane struct{ fromX, toX, fromY, toY float64 } // logarithms

func (p plane) at(tasks, ms float64) point {
	return point{
		plotLeft + (math.Log10(tasks)-p.fromX)/(p.toX-p.fromX)*(plotRight-plotLeft),
		plotBottom - (math.Log10(ms)-p.fromY)/(p.toY-p.fromY)*(plotBottom-plotTop),
	}
}

// picture is an SVG of the rich workspaces.
func picture(all []measured) string {
	rich := slices.DeleteFunc(slices.Clone(all), func(m measured) bool { return !m.rich })
	p := planeOf(rich)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="Time of commands by number of tasks">`+"\n%s", pictureWidth, pictureHeight, style)
	fmt.Fprintf(&b, `<rect class="back" width="%d" height="%d"/>`+"\n", pictureWidth, pictureHeight)
	fmt.Fprintf(&b, `<text class="title" x="%g" y="26">Milliseconds of a whole command, p50, rich tasks</text>`+"\n", plotLeft)
	p.drawAxes(&b, rich)
	for _, c := range p.curves(rich) {
		c.draw(&b)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// shown is the height of a curve at a workspace: the whole process, or the bare work of a yardstick.
func shown(m measured, name string) float64 {
	if work := m.work(name); work > 0 {
		return work
	}
	return m.ms(name)
}

// planeOf is the smallest plane that ends at whole powers of ten and has everything in it.
func planeOf(rich []measured) plane {
	p := plane{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	for _, m := range rich {
		x := math.Log10(float64(m.tasks))
		p.fromX, p.toX = min(p.fromX, x), max(p.toX, x)
		for _, c := range curves {
			if ms := shown(m, c.name); ms > 0 {
				p.fromY, p.toY = min(p.fromY, math.Floor(math.Log10(ms))), max(p.toY, math.Ceil(math.Log10(ms)))
			}
		}
	}
	if len(rich) == 0 || math.IsInf(p.fromY, 0) {
		return plane{3, 5, 0, 4}
	}
	if p.fromX == p.toX {
		p.fromX, p.toX = p.fromX-0.5, p.toX+0.5
	}
	return p
}

func (p plane) drawAxes(b *strings.Builder, rich []measured) {
	for power := p.fromY; power <= p.toY; power++ {
		at := p.at(math.Pow(10, p.fromX), math.Pow(10, power))
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", plotLeft, at.y, plotRight, at.y)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">%s</text>`+"\n", plotLeft-9, at.y+4, power10(power))
	}
	for _, m := range rich {
		at := p.at(float64(m.tasks), 1)
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", at.x, plotTop, at.x, plotBottom+tickLen)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", at.x, plotBottom+22, grouped(m.tasks))
	}
	fmt.Fprintf(b, `<path class="axis" d="M%.1f %.1fV%.1fH%.1f"/>`+"\n", plotLeft, plotTop, plotBottom, plotRight)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">tasks</text>`+"\n", (plotLeft+plotRight)/2, plotBottom+44)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">ms</text>`+"\n", plotLeft-9, plotTop-14)
}

func power10(power float64) string {
	if power < 0 {
		return fmt.Sprint(math.Pow(10, power))
	}
	return grouped(int(math.Pow(10, power)))
}

// curves are the lines of the picture, from top to bottom, their names so far apart that all can be read.
func (p plane) curves(rich []measured) []curve {
	var out []curve
	for _, c := range curves {
		line := curve{name: c.name, colour: c.colour, dashed: c.dashed}
		for _, m := range rich {
			if ms := shown(m, c.name); ms > 0 {
				line.points = append(line.points, p.at(float64(m.tasks), ms))
			}
		}
		if len(line.points) > 0 {
			line.label = line.points[len(line.points)-1].y
			out = append(out, line)
		}
	}
	slices.SortStableFunc(out, func(a, b curve) int { return int(a.label*10) - int(b.label*10) })
	spread(out)
	return out
}

// spread moves names apart, each no further than it must.
func spread(lines []curve) {
	for range 200 {
		for i := 1; i < len(lines); i++ {
			if gap := lines[i].label - lines[i-1].label; gap < labelGap {
				lines[i-1].label -= (labelGap - gap) / 2
				lines[i].label += (labelGap - gap) / 2
			}
		}
		if n := len(lines); n > 0 && lines[n-1].label > plotBottom+4 {
			lines[n-1].label = plotBottom + 4
		}
	}
}

func (c curve) draw(b *strings.Builder) {
	dash := ""
	if c.dashed {
		dash = ` stroke-dasharray="6 4"`
	}
	var path []string
	for _, at := range c.points {
		path = append(path, fmt.Sprintf("%.1f %.1f", at.x, at.y))
	}
	last := c.points[len(c.points)-1]
	fmt.Fprintf(b, `<path d="M%s" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n", strings.Join(path, "L"), c.colour, dash)
	for _, at := range c.points {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", at.x, at.y, c.colour)
	}
	fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f" stroke="%s" stroke-width="1" opacity="0.6" fill="none"/>`+"\n", last.x+4, last.y, labelLeft-3, c.label, c.colour)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f">%s</text>`+"\n", labelLeft, c.label+4, c.name)
}
