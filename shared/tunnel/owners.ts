// Which interface has an address.
import { addressIn } from '../address/ip.ts'
import type { HostInterface } from './observed.ts'

export const addressOwners = (interfaces: readonly HostInterface[]): Map<string, HostInterface> =>
  new Map(interfaces.flatMap((one) => one.addresses.map((text) => [addressIn(text), one] as const)))
