// The Ethernet address of a TAP tunnel. Left to itself the kernel draws one for each new link, and the far end goes on
// sending to the old one until its neighbour entry expires.
import { isTapKind, type LinkConfig } from './model.ts'

/** FNV-1a of 64 bits: it only has to tell links apart. */
const OFFSET = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n

/**
 * The same for the same link on this host, and another one at its far end, whose endpoints are exchanged. Unicast and
 * locally administered (IEEE 802); null where the kind has none.
 */
export function hardwareAddress(
  interface_name: string,
  {
    kind,
    local_endpoint,
    remote_endpoint,
    ikey,
    okey,
  }: Pick<LinkConfig, 'kind' | 'local_endpoint' | 'remote_endpoint' | 'ikey' | 'okey'>,
): string | null {
  if (!isTapKind(kind)) return null
  const words = [interface_name, local_endpoint, remote_endpoint, ikey ?? '', okey ?? ''].join(' ')
  let hash = OFFSET
  for (const character of words) hash = BigInt.asUintN(64, (hash ^ BigInt(character.charCodeAt(0))) * PRIME)
  const last = (hash ^ (hash >> 40n)).toString(16).padStart(10, '0').slice(-10)
  return ['02', ...(last.match(/../g) ?? [])].join(':')
}
