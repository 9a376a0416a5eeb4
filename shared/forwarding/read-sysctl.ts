// The inverse of renderSysctl: what our file of sysctl.d turns on, or that the file is not one of ours.
import { switchesBy, type ForwardingSwitches } from './model.ts'
import type { SavedForwarding } from './plan.ts'
import { renderSysctl, SYSCTL_MARK } from './sysctl.ts'

/** Null where the text differs by a byte from what we would write: a foreign file, or ours edited by hand. */
export function readSysctl(content: string): SavedForwarding | null {
  if (!content.startsWith(SYSCTL_MARK)) return null
  try {
    const mark = JSON.parse(content.slice(SYSCTL_MARK.length, content.indexOf('\n'))) as Record<string, unknown>
    const saved = { switches: switchesIn(mark['switches']), previous: switchesIn(mark['previous']) }
    return renderSysctl(saved) === content ? saved : null
  } catch {
    // What follows the mark cannot be parsed, so the file is not ours.
    return null
  }
}

/** One that is not named is off. */
const switchesIn = (values: unknown): ForwardingSwitches =>
  switchesBy((name) => (values as Partial<Record<string, unknown>> | null)?.[name] === true)
