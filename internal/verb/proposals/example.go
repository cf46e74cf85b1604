package proposals

// Example is a plan as a file has it, for help.
const Example = `tasks:
  - key: strip                      # a name for it within the plan
    title: Strip the old paint
    checks:
      - 'no paint left=make look'   # DESC=COMMAND
      - {desc: the wall is dry, type: manual}
  - key: prime
    title: Prime the wall
    deps: [strip]                   # a key, an id, or #0 for the first
    parent: wall
    checks:
      - {desc: the tests pass, cmd: make test, timeout: 10m}
  - key: wall
    title: Paint the wall
    deps: [prime]
    priority: high
    due: 2026-08-01
`
