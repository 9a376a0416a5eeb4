// The kernel's forwarding switches, and the file of ours that sets them at boot.
import { strict, Type, type Static } from './schema.ts'

/** net.ipv4.ip_forward and net.ipv6.conf.all.forwarding. */
const Switches = strict({ ipv4: Type.Boolean(), ipv6: Type.Boolean() })

/** `saved` null: no file of ours. `previous` is what was set before the panel first wrote its file, and what a revert puts back. */
export const ForwardingState = strict({
  live: Switches,
  saved: Type.Union([Type.Null(), strict({ switches: Switches, previous: Switches })]),
})
export type ForwardingState = Static<typeof ForwardingState>
