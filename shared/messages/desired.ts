// Files that say what the panel is to do.
export const DESIRED = {
  'desired.name': 'The name of the {of} must be a text of 1 to 100 letters.',
  'desired.word': 'The field {field} must be one of: {words}.',
  'desired.version': 'The version of the file must be {version}. A file of a newer form needs a newer panel.',
  'desired.twice': 'The file names {name} twice.',
  'desired.unknown': 'There is no {of} {name}, and the file makes none.',
  'desired.both': '{field} says the same as {other_field}: give one of them.',
  'desired.stale': 'The panel was changed since the file was made from it. Export it again, or leave base out.',
  'desired.failed': 'The step for {name} failed, and everything is as it was.',
  'desired.put_back': 'Everything is as it was.',
  'desired.done': 'The panel is as the file says.',
  'desired.nothing': 'The panel is as the file says already.',
  'desired.spared': 'The panel has not made these, and deletes them only where adopted tunnels are included: {names}.',
  'desired.locked': 'Managed by {file}. Change it there and apply the file, or unlock it in the panel first.',
  'desired.lock_needs_name': 'Objects are locked under the name of a file.',
  'desired.no_file': 'No file {name} was applied.',
  'desired.dry': 'Nothing was changed.',
} as const
