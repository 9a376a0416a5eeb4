// The address that something takes from an interface of this server (decisions.md, F50, T49).
import { addressIn, parseIp, type Family } from '@panel/shared/address/ip.ts'
import { isLinkLocal, isLoopback } from '@panel/shared/address/special.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'

/** What an interface lends, in the kernel's order and in canonical spelling. */
const addressesOf = ({ addresses }: Pick<HostInterface, 'addresses'>, family: Family): string[] =>
  addresses.map(addressIn).filter((address) => {
    const ip = parseIp(address)
    return ip?.family === family && !isLinkLocal(ip) && !isLoopback(ip)
  })

/** The one in use as long as the interface has it, and its first otherwise; null if it has none. */
export function addressOf(
  interfaceNow: Pick<HostInterface, 'addresses'>,
  family: Family,
  inUse: string | null,
): string | null {
  const there = addressesOf(interfaceNow, family)
  return inUse !== null && there.includes(inUse) ? inUse : (there[0] ?? null)
}
