// What a host tells unasked: hints that something has changed, never the state itself.
import { strict, stringEnum, Type, type Static } from '../schema.ts'

/** Events in one message, at most. */
export const MAX_BATCH = 256

/**
 * `interface_name` is "" where it is not told, as for every address. ruleset: somebody else than the helper has changed nftables. lost: some events are missing, or none were listened to before; whatever
 * was read so far may be out of date. Neither concerns a link: the index is 0.
 */
export const HostEvent = strict({
  subject: stringEnum(['link', 'address', 'ruleset', 'lost']),
  interface_name: Type.String({ pattern: '^[^\\s/]{0,15}$' }),
  index: Type.Integer({ minimum: 0 }),
  is_removal: Type.Boolean(),
})
export type HostEvent = Static<typeof HostEvent>

export const LOST: HostEvent = { subject: 'lost', interface_name: '', index: 0, is_removal: false }
export const RULESET_CHANGED: HostEvent = { ...LOST, subject: 'ruleset' }
