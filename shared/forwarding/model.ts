// The kernel's forwarding switches, and the file of ours that sets them at boot.
import { line, nullable, strict, Type, type Static } from '../schema.ts'

/** net.ipv4.ip_forward and net.ipv6.conf.all.forwarding. */
export const ForwardingSwitches = strict({ ipv4: Type.Boolean(), ipv6: Type.Boolean() })
export type ForwardingSwitches = Static<typeof ForwardingSwitches>

/**
 * `saved` null: no file of ours. Its `switches` are those that the file turns on (a false one is not in the file, and boot sets it as other
 * software says); `previous` holds the values from before the panel first wrote its file, which a revert restores.
 */
export const ForwardingState = strict({
  live: ForwardingSwitches,
  saved: Type.Union([Type.Null(), strict({ switches: ForwardingSwitches, previous: ForwardingSwitches })]),
})
export type ForwardingState = Static<typeof ForwardingState>

/** A foreign file has the name of ours and was not written by us, or was edited since. `conntrack` null: not loaded. */
export const ForwardingFound = strict({
  state: ForwardingState,
  has_ipv6: Type.Boolean(),
  is_foreign_file: Type.Boolean(),
  sysctl_path: line(4200),
  conntrack: nullable(
    strict({
      count: Type.Integer({ minimum: 0 }),
      max: Type.Integer({ minimum: 0 }),
      is_accounting: Type.Boolean(),
      is_timestamping: Type.Boolean(),
    }),
  ),
})
export type ForwardingFound = Static<typeof ForwardingFound>
