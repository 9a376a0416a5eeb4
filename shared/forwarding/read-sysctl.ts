// The inverse of renderSysctl: what our file of sysctl.d turns on, or that the file is not one of ours.
import { switchesBy, type AcceptRa, type ForwardingSwitches, type SavedSize, type SavedSwitches } from './model.ts'
import { isPlainName, renderSysctl, SYSCTL_MARK } from './sysctl.ts'

/** Null where the text differs by a byte from what we would write: a foreign file, or ours edited by hand. */
export function readSysctl(content: string): SavedSwitches | null {
  if (!content.startsWith(SYSCTL_MARK)) return null
  try {
    const mark = JSON.parse(content.slice(SYSCTL_MARK.length, content.indexOf('\n'))) as Record<string, unknown>
    const saved = {
      switches: switchesIn(mark['switches']),
      previous: switchesIn(mark['previous']),
      accept_ra: acceptRaIn(mark['accept_ra']),
      conntrack_max: sizeIn(mark['conntrack_max']),
    }
    return renderSysctl(saved) === content ? saved : null
  } catch {
    // What follows the mark cannot be parsed, so the file is not ours.
    return null
  }
}

const switchesIn = (values: unknown): ForwardingSwitches =>
  switchesBy((name) => (values as Partial<Record<string, unknown>>)[name] === true)

const acceptRaIn = (values: unknown): AcceptRa =>
  Object.fromEntries(
    Object.entries(values as Partial<Record<string, unknown>>).flatMap(([name, value]) =>
      isPlainName(name) && (value === 0 || value === 1 || value === 2) ? [[name, value]] : [],
    ),
  )

function sizeIn(size: unknown): SavedSize | null {
  const { value, previous } = (size ?? {}) as Partial<Record<string, unknown>>
  return Number.isSafeInteger(value) && Number.isSafeInteger(previous) ? ({ value, previous } as SavedSize) : null
}
