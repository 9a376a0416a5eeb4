// Events of a host: hints that something has changed, never the state itself.
import { line, strict, stringEnum, Type, type Static } from '../schema.ts'

/** Events in one message, at most. */
export const MAX_BATCH = 256

/** The name of a program and of what started it. */
export const BY_MAX = 40

/**
 * `interface_name` is "" if the kernel does not report it, as for every address. route: of any table; the index is 0.
 * setting: of an interface (net.*.conf), such as whether it forwards. ruleset: another program than the
 * helper has changed nftables. `by`: the programs that did, if the helper listens for their names. window: one opened,
 * changed or ended. lost: events are missing, or this is the first item; everything read before may be out of date. For
 * both, the index is 0.
 */
export const HostEvent = strict({
  subject: stringEnum(['link', 'address', 'route', 'setting', 'ruleset', 'window', 'lost']),
  interface_name: Type.String({ pattern: '^[^\\s/]{0,15}$' }),
  index: Type.Integer({ minimum: 0 }),
  is_removal: Type.Boolean(),
  by: Type.Optional(line(BY_MAX)),
})
export type HostEvent = Static<typeof HostEvent>

export const LOST: HostEvent = { subject: 'lost', interface_name: '', index: 0, is_removal: false }
export const WINDOW_CHANGED: HostEvent = { ...LOST, subject: 'window' }
export const RULESET_CHANGED: HostEvent = { ...LOST, subject: 'ruleset' }
