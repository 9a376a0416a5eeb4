// The inverse of renderSysctl: what our file of sysctl.d turns on, or that the file is not one of ours.
import type { SavedForwarding } from './plan.ts'
import { renderSysctl, SYSCTL_MARK } from './sysctl.ts'

/** Null where the text differs by a byte from what we would write: a foreign file, or ours edited by hand. */
export function readSysctl(content: string): SavedForwarding | null {
  if (!content.startsWith(SYSCTL_MARK)) return null
  try {
    const saved = JSON.parse(content.slice(SYSCTL_MARK.length, content.indexOf('\n'))) as SavedForwarding
    return areSwitches(saved.switches) && areSwitches(saved.previous) && renderSysctl(saved) === content
      ? { switches: saved.switches, previous: saved.previous }
      : null
  } catch {
    // What follows the mark cannot be parsed, so the file is not ours.
    return null
  }
}

const areSwitches = (value: unknown): boolean =>
  typeof (value as { ipv4?: unknown })?.ipv4 === 'boolean' && typeof (value as { ipv6?: unknown })?.ipv6 === 'boolean'
