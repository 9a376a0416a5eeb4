// How many connections the kernel tracks at most: what may be set, and the state with it and without. Pure.
import { sameState } from '../change/change.ts'
import { message, type Message } from '../messages/message.ts'
import type { ForwardingFound, ForwardingState, SavedSize } from './model.ts'
import { CONNTRACK_MAX_KEY, CONNTRACK_MAX_MOST, switchesBy } from './model.ts'

/** An entry of the kernel's, with its extensions. */
const ENTRY_BYTES = 384
/** All entries together take at most this part of the memory. */
const MEMORY_PART = 4
/** Each entry stands in two chains of the hash table, and the kernel refuses one whose chain is too long (F57). */
const ENTRIES_PER_BUCKET = 8

export interface Room {
  readonly memory_bytes: number
  readonly buckets: number
}

/** The most that may be set on a host. */
export const sizeMost = ({ memory_bytes, buckets }: Room): number =>
  Math.min(CONNTRACK_MAX_MOST, Math.floor(memory_bytes / MEMORY_PART / ENTRY_BYTES), buckets * ENTRIES_PER_BUCKET)

type State = Pick<ForwardingState, 'conntrack_max'> & {
  readonly saved: { readonly conntrack_max: SavedSize | null } | null
}
export type Sized = Pick<ForwardingFound, 'conntrack'> & { readonly state: State }

/** The value from before the panel, or the present one where it has set none; null while nothing is tracked. */
export const sizeBefore = ({ conntrack_max, saved }: State): number | null =>
  saved?.conntrack_max?.previous ?? conntrack_max

/** Why none can be set on this host; null if one can. */
export function whyNoSize({ state, conntrack }: Sized): Message | null {
  if (!conntrack || state.conntrack_max === null) return message('root.no_switch', { what: CONNTRACK_MAX_KEY })
  if (state.conntrack_max === 0) return message('forwarding.size_unlimited')
  return conntrack.most === null ? message('forwarding.size_of_host') : null
}

/** Why this one cannot be set on a host where others can. */
export function whyNotSize({ state, conntrack }: Sized, size: number): Message | null {
  const [least, most] = [sizeBefore(state) ?? 0, conntrack?.most ?? 0]
  return size >= least && size <= most ? null : message('forwarding.size_range', { size, least, most })
}

/** What doubling comes to; null where there is no room for more. */
export function doubled(found: Sized): number | null {
  if (whyNoSize(found)) return null
  const { conntrack_max: size } = found.state
  const next = Math.min((size ?? 0) * 2, found.conntrack?.most ?? 0)
  return next > (size ?? 0) && !whyNotSize(found, next) ? next : null
}

/** Sets it, now and at boot; the value from before the first time is kept. Idempotent. */
export function withSize(state: ForwardingState, value: number): ForwardingState {
  const { live, saved } = state
  return {
    live,
    conntrack_max: value,
    saved: {
      switches: saved?.switches ?? switchesBy(() => false),
      previous: saved?.previous ?? live,
      conntrack_max: { value, previous: sizeBefore(state) ?? value },
    },
  }
}

/** The live value that a state may have beside what its file says: root sets no other (F56). */
export function isSizeDue(before: State, after: State): boolean {
  const [had, has] = [before.saved?.conntrack_max ?? null, after.saved?.conntrack_max ?? null]
  const { conntrack_max: live } = after
  if (before.conntrack_max === null) return live === null && (has === null || sameState(has, had))
  if (has && has.previous !== sizeBefore(before)) return false
  const isSame = has?.value === had?.value
  return live === (has?.value ?? had?.previous) || (isSame && live === before.conntrack_max)
}
