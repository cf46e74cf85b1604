package source

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// readTaskMaster reads tasks.json: tasks, or tags with the tasks of each. The ids of an item are tag/3 and tag/3.2. A
// tag other than master is a label.
func readTaskMaster(files []File) (Batch, error) {
	var out Batch
	for _, f := range files {
		var root map[string]json.RawMessage
		if err := json.Unmarshal(f.Data, &root); err != nil {
			return out, jsonError(f, 0, err)
		}
		tags := map[string]json.RawMessage{}
		if list, plain := root["tasks"]; plain && strings.HasPrefix(strings.TrimSpace(string(list)), "[") {
			tags["master"] = f.Data
		} else {
			maps.Copy(tags, root)
		}
		for _, tag := range slices.Sorted(maps.Keys(tags)) {
			all, err := values(File{f.Name, tags[tag]})
			if err != nil {
				return out, err
			}
			if len(all) != 1 {
				continue
			}
			holder, _ := all[0].(map[string]any)
			tasks, ok := holder["tasks"].([]any)
			if !ok {
				out.aside("a key that is no tag with tasks", tag)
				continue
			}
			for i, one := range tasks {
				m, ok := one.(map[string]any)
				if !ok || textOf(m["id"]) == "" {
					return out, bad(f.Name, 0, "%s.tasks[%d] is no task with an id", tag, i)
				}
				siblings := map[string]bool{}
				for _, sub := range newObject(m).objects("subtasks") {
					siblings[textOf(sub.keys["id"])] = true
				}
				out.master(tag, "", newObject(m), siblings)
			}
		}
	}
	if len(out.Items) == 0 {
		return out, bad(files[0].Name, 0, "has no tasks of Task Master").WithHint("name .taskmaster/tasks/tasks.json")
	}
	return out, nil
}

// master adds a task, and its subtasks behind it. Above is the id of the task that a subtask belongs to; siblings are
// its ids.
func (b *Batch) master(tag, above string, o object, siblings map[string]bool) {
	id := o.text("id")
	whole := id
	if above != "" && !strings.HasPrefix(id, above+".") {
		whole = above + "." + id
	}
	it := o.item("title was=status priority assignee labels=tags created=createdAt")
	it.Ref, it.Priority = tag+"/"+whole, strings.ToLower(it.Priority)
	it.Rank = it.Priority
	if above != "" {
		it.Parent = tag + "/" + above
	}
	if tag != "master" {
		it.Labels = append(it.Labels, tag)
	}
	for _, dep := range o.texts("dependencies") {
		if above != "" && siblings[dep] {
			dep = above + "." + dep
		}
		it.Deps = append(it.Deps, tag+"/"+dep)
	}
	for _, text := range o.texts("acceptanceCriteria") {
		found, _ := criteria(text)
		it.Acceptance = append(it.Acceptance, found...)
	}
	it.Body = body([2]string{"", o.text("description")}, [2]string{"Details", o.text("details")}, [2]string{"Test strategy", o.text("testStrategy")})
	stated(&it) // deferred and blocked are labels
	subtasks := o.objects("subtasks")
	o.drop("updatedAt", "parentId", "parentTaskId", "previousStatus", "databaseId")
	o.rest(&it)
	b.add(it)
	for _, sub := range subtasks {
		if sub.text("id") != "" {
			b.master(tag, whole, sub, siblings)
		}
	}
}
