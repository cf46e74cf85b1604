package proof

import "github.com/cairn-tasks/cairn/task"

// neverRed judges whether the commands of a task that the change closes were seen to fail without the work, if the base
// requires that: an entry since the work began has a failure, or the close says that it was seen otherwise. That is the
// record's own word; who runs the commands knows more.
func (r pairRules) neverRed() {
	closed, t := r.closing(), r.now.Task
	if closed < 0 || r.change.Base.Config.Flow.WantsRed != task.RedRequire {
		return
	}
	t.Provenance = t.Provenance[:closed+1]
	closer := t.Provenance[closed].Who
	for i, c := range t.Checks {
		if !c.Manual() && !r.flow.Red(t, i) && !t.MayPass(i, closer) {
			r.report(NeverRed, &r.now.File, Path{"provenance", closed}, "was closed on the check %q, which was never seen to fail without the work", c.Desc).
				fix("see whether it does: cairn verify %s --matrix; move the task back, and close it again once it was seen to", t.ID).
				warnIf(closer.Human())
		}
	}
}
