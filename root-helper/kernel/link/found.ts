// A link of the kernel as the model holds it, and what of it the model cannot hold.
import { canonicalConfig } from '@panel/shared/tunnel/canonical.ts'
import { INTERFACE_NAME_PATTERN, KERNEL_STUBS, type LinkState, type TunnelAddress } from '@panel/shared/tunnel/model.ts'
import type { LinkSnapshot } from '@panel/shared/tunnel/observed.ts'
import type { FoundLink, SeenLink } from '../facilities.ts'
import { unmodelledAddress, unmodelledLink } from './unmodelled.ts'
import { liveSide } from './labels.ts'
import type { RawAddress } from '../../netlink/address.ts'
import { IFAPROT_KERNEL_LL, IFAPROT_KERNEL_RA, IFF_MULTICAST, IFF_UP } from '../../netlink/constants.ts'
import { decodeGre, isOurKind, unmodelledGre, type GreConfig } from '../../netlink/gre.ts'
import type { RawLink } from '../../netlink/link.ts'

/** Names of the devices that links refer to, by index. */
export type DeviceNames = ReadonlyMap<number, string>

const NAME = new RegExp(INTERFACE_NAME_PATTERN)
// Bounds of LinkConfig in shared/tunnel/model.ts.
const ADDRESSES_MAX = 256
const QUEUE_MAX = 1_000_000

export const isStub = (name: string): boolean => (KERNEL_STUBS as readonly string[]).includes(name)

/**
 * Whether the link is a tunnel that the panel may hold: of our kinds, not a stub, under a name that units and URLs
 * take.
 */
export const isOurs = (raw: RawLink): boolean => isOurKind(raw.kind) && !isStub(raw.name) && NAME.test(raw.name)

/**
 * The only place where what nobody manages here is left out of a state: IPv6 link-local addresses, and addresses that
 * the kernel made by itself from a router's advertisement. (Queueing disciplines and IPv6 address generation are never
 * read at all.)
 */
export const isUnmanaged = ({ address, origin }: RawAddress): boolean =>
  /^fe[89ab][0-9a-f]:/.test(address) || origin === IFAPROT_KERNEL_LL || origin === IFAPROT_KERNEL_RA

/** Null where the link is not one of ours. */
export const greConfig = (raw: RawLink): GreConfig | null =>
  isOurs(raw) && isOurKind(raw.kind) && raw.data ? decodeGre(raw.kind, raw.data) : null

export const linkSnapshot = (
  raw: RawLink,
  gre: GreConfig | null,
  addresses: readonly RawAddress[],
): LinkSnapshot['observed'] => ({
  ...liveSide(raw, addresses),
  local_endpoint: gre?.local_endpoint ?? '',
  remote_endpoint: gre?.remote_endpoint ?? '',
})

/** The counters are beside, since they change always. */
export const foundLink = (raw: RawLink, seen: SeenLink): FoundLink => ({
  ...seen,
  observed: { ...seen.observed, statistics: raw.counters },
})

export function seenLink(raw: RawLink, addresses: readonly RawAddress[], names: DeviceNames): SeenLink {
  const gre = greConfig(raw)
  const found: SeenLink = {
    interface_name: raw.name,
    link: null,
    observed: linkSnapshot(raw, gre, addresses),
    unmodelled: [],
  }
  if (!gre || !raw.data) return found
  const managed = addresses.filter((one) => !isUnmanaged(one))
  const device = findBindDevice(raw, gre, names)
  const unmodelled = [
    ...unmodelledGre(gre, raw.data),
    ...device.unmodelled,
    ...unmodelledLink(raw, names),
    ...(raw.txQueueLength > QUEUE_MAX ? [`txqueuelen ${raw.txQueueLength}`] : []),
    ...(managed.length > ADDRESSES_MAX ? [`${managed.length} addresses`] : []),
    ...managed.flatMap((address) => unmodelledAddress(address, raw.name)),
  ]
  return { ...found, link: linkState(raw, gre, device.name, managed), unmodelled: unmodelled.map(printable) }
}

/** The device below may be in another namespace, gone, or under a name that the model does not take. */
function findBindDevice(
  raw: RawLink,
  { bindIndex }: GreConfig,
  names: DeviceNames,
): { name: string | null; unmodelled: string[] } {
  if (raw.netnsid !== null) return { name: null, unmodelled: [`link-netnsid ${raw.netnsid}`] }
  if (bindIndex === 0) return { name: null, unmodelled: [] }
  const name = names.get(bindIndex)
  return name !== undefined && NAME.test(name)
    ? { name, unmodelled: [] }
    : { name: null, unmodelled: [`dev ${name ?? `number ${bindIndex}`}`] }
}

function linkState(
  raw: RawLink,
  gre: GreConfig,
  bind_device: string | null,
  managed: readonly RawAddress[],
): LinkState {
  const config = canonicalConfig({
    ...gre,
    bind_device,
    mtu: Math.min(raw.mtu, 65_535),
    tx_queue_length: Math.min(raw.txQueueLength, QUEUE_MAX),
    is_multicast: (raw.flags & IFF_MULTICAST) !== 0,
    addresses: managed.slice(0, ADDRESSES_MAX).map(tunnelAddress),
  })
  return { is_up: (raw.flags & IFF_UP) !== 0, config }
}

const tunnelAddress = ({ address, peer_address, prefix_length }: RawAddress): TunnelAddress => ({
  address,
  peer_address,
  prefix_length,
})

/** `unmodelled` is for people and for a schema that takes 80 printable characters. */
const printable = (word: string): string => word.replace(/[^\x20-\x7e]/g, '?').slice(0, 80)
