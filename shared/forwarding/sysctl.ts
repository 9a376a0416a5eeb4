// The switches as a file of sysctl.d: what systemd-sysctl sets at boot, and what was set before us.
import { FORWARDING, SWITCHES, SYSCTL_KEYS, type ForwardingSwitches } from './model.ts'
import type { SavedForwarding } from './plan.ts'

/** First line of the file: the state it was written for, for the reader; the rest of the text must follow from it. */
export const SYSCTL_MARK = '# tunnel-panel: '
export const SYSCTL_FILE = '99-tunnel-panel.conf'

/** The inverse of readSysctl. A switch that is off is left to whoever else sets it. */
export function renderSysctl({ switches, previous }: SavedForwarding): string {
  // Of those that do not forward only what is on is named, so that a file from before they were known reads as it did.
  const named = SWITCHES.filter((name) => FORWARDING.includes(name) || switches[name] || previous[name])
  const of = (values: ForwardingSwitches): object => Object.fromEntries(named.map((name) => [name, values[name]]))
  const mark = SYSCTL_MARK + JSON.stringify({ switches: of(switches), previous: of(previous) })
  const lines = SWITCHES.filter((name) => switches[name]).map((name) => `${SYSCTL_KEYS[name]} = 1`)
  return `${[mark, '# Relay rules forward packets. The values before are recorded above; the panel puts them back when asked to.', ...lines].join('\n')}\n`
}
