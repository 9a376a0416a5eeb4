// What the server has of a tunnel otherwise than configured. Pure.
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { areSame, configuredLabel, formatAddresses, observedAddresses } from './labels.ts'

export interface Difference {
  readonly isLink: boolean
  readonly mtu: number | null
  readonly addresses: readonly string[] | null
}

/** Null: nothing differs. */
export const differenceOf = (tunnel: TunnelView): Difference | null => {
  const { is_enabled, observed } = tunnel
  const isThere = observed.is_known && observed.exists
  const isLink = !isThere || observed.is_up !== is_enabled || configuredLabel(tunnel).state === 'down'
  const mtu = isThere && observed.mtu !== tunnel.mtu ? observed.mtu : null
  const has = observedAddresses(observed)
  // A link that is down has lost its IPv6 addresses.
  const addresses = isThere && observed.is_up && !areSame(has, formatAddresses(tunnel)) ? has : null
  return isLink || mtu !== null || addresses !== null ? { isLink, mtu, addresses } : null
}
