// The files that can be set aside, each with what to do afterwards.

export const STORE = 'panel.db'
const COMPARE = 'A change may have been left half-done: Reconcile in the panel shows what differs from what is stored.'

/** What to do afterwards, by the file. */
export const OF_HELPER: Readonly<Record<string, string>> = {
  'change-under-way.json': COMPARE,
  'ruleset.json': 'Apply all rules in the panel, so that the next boot brings them back.',
  'links.json': 'Links that no unit of the panel makes are adopted again when their tunnels are next changed.',
  'answers.json': COMPARE,
  'networks.json': COMPARE,
  'window.json': COMPARE,
  'window-ended.json': COMPARE,
}
export const OF_WEB: Readonly<Record<string, string>> = {
  [STORE]:
    "Put a copy in its place (the operator's guide, Backup), or begin with an empty store: tunnel-panel open-setup",
  'session.key':
    'Everyone signs in again, and where there is a second factor, with a recovery code. Secrets of notification targets and a kept certificate have to be given again.',
}

export const SET_ASIDE_FILES = [...Object.keys(OF_HELPER), ...Object.keys(OF_WEB)]
