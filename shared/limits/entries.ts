// What the entries of a list match: the last that does decides, and one with "!" before it says the opposite.
import { bitsOf, contains, halvesOf, overlaps, parseCidr, parseIp, type Cidr, type Ip } from '../address/ip.ts'
import { U32_MAX } from '../schema.ts'
import type { Limits } from './model.ts'

type List = readonly string[]
/** How one entry is read; null where it is none. */
type Read<T> = (text: string) => T | null

interface Entry<T> {
  readonly text: string
  readonly is_in: boolean
  readonly value: T
}

/** Nobody writes to a list. */
const known = new WeakMap<List, { readonly read: unknown; readonly entries: readonly Entry<unknown>[] }>()

/** The last first. */
function entriesOf<T>(list: List, read: Read<T>): readonly Entry<T>[] {
  const before = known.get(list)
  if (before?.read === read) return before.entries as readonly Entry<T>[]
  const all = list.flatMap((text) => {
    const is_in = !text.startsWith('!')
    const value = read(is_in ? text : text.slice(1))
    return value === null ? [] : [{ text, is_in, value }]
  })
  const entries = all.reverse()
  known.set(list, { read, entries })
  return entries
}

/** The text of the entry that decides that the value is in the list; null if it is not. */
const matchIn = <T>(entries: readonly Entry<T>[], matches: (value: T) => boolean): string | null => {
  const decides = entries.find(({ value }) => matches(value))
  return decides?.is_in ? decides.text : null
}

export function readNetwork(text: string): Cidr | null {
  const ip = parseIp(text)
  return ip ? { base: ip, prefix_length: bitsOf(ip.family) } : parseCidr(text)
}

/** `first` and `last` of ports, or whose they are. */
export type PortEntry = Owner | { readonly first: number; readonly last: number }

export function readPorts(text: string): PortEntry | null {
  if (text === 'sshd' || text === 'panel') return text
  const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  const ports = { first: Number(first), last: Number(last) }
  return first !== '' && ports.first >= 1 && ports.first <= ports.last && ports.last <= 65_535 ? ports : null
}

/** A mark fits if it has no bit outside of the mask but those of the value. */
export interface MarkEntry {
  readonly value: number
  readonly mask: number
}

export function readMark(text: string): MarkEntry | null {
  const [, value = '', mask = '0'] = /^(0x[0-9a-f]{1,8}|\d{1,10})(?:\/(0x[0-9a-f]{1,8}|\d{1,10}))?$/i.exec(text) ?? []
  const entry = { value: Number(value), mask: Number(mask) }
  return value !== '' && entry.value <= U32_MAX && entry.mask <= U32_MAX ? entry : null
}

/** A name with * for any characters, ? for one, and [0-9] for one of some. */
export function readName(text: string): RegExp | null {
  if (!/^(?:[A-Za-z0-9_.:@*?-]|\[[A-Za-z0-9-]+\])+$/.test(text)) return null
  const pattern = text.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')
  try {
    return new RegExp(`^${pattern}$`)
  } catch {
    return null
  }
}

export type Owner = 'sshd' | 'panel'
export const readDestination = (text: string): Cidr | Owner | null =>
  text === 'sshd' || text === 'panel' ? text : readNetwork(text)

export const reservedBy = ({ reserved_names }: Limits, name: string): string | null =>
  matchIn(entriesOf(reserved_names, readName), (pattern) => pattern.test(name))

export function isMarkAllowed({ marks }: Limits, mark: number): boolean {
  const fits = ({ value, mask }: MarkEntry): boolean => ((mark ^ value) & ~mask) === 0
  return matchIn(entriesOf(marks, readMark), fits) !== null
}

/** `owner` listens there. */
export function forbiddenBy({ forbidden_destinations }: Limits): (ip: Ip, owner: Owner | null) => string | null {
  const entries = entriesOf(forbidden_destinations, readDestination)
  return (ip, owner) => matchIn(entries, (one) => (typeof one === 'string' ? one === owner : contains(one, ip)))
}

/** The ports that sshd and the panel listen on, or are configured for. */
export type OwnPorts = Readonly<Record<Owner, readonly number[]>>

export interface ProtectedPort {
  readonly port: number
  readonly by: string
}

/** The first port of a range that is kept from rules; null if there is none. */
export function protectedIn(
  { protected_ports }: Limits,
  own: OwnPorts,
  first: number,
  last: number,
): ProtectedPort | null {
  const entries = entriesOf(protected_ports, readPorts)
  // Between these nothing begins to be protected.
  const ends = entries.flatMap(({ value }) => (typeof value === 'string' ? [] : [value.first, value.last + 1]))
  const ports = [first, ...ends, ...own.sshd, ...own.panel].filter((port) => port >= first && port <= last)
  for (const port of ports.sort((a, b) => a - b)) {
    const by = matchIn(entries, (one) =>
      typeof one === 'string' ? own[one].includes(port) : port >= one.first && port <= one.last,
    )
    if (by !== null) return { port, by }
  }
  return null
}

/** How much of a network lies outside of a list of networks, in addresses (IPv4) or networks of /64. */
export function outsideOf(list: List): (network: Cidr) => number {
  const entries = entriesOf(list, readNetwork)
  const outside = (network: Cidr): number => {
    const decides = entries.find(({ value }) => overlaps(value, network))
    if (!decides) return sizeOf(network)
    if (decides.value.prefix_length <= network.prefix_length) return decides.is_in ? 0 : sizeOf(network)
    // What is left of a /64 counts as one.
    if (isOne(network)) return 1
    return halvesOf(network).reduce((sum, half) => sum + outside(half), 0)
  }
  return outside
}

/** Bits of what is counted: an address, or a network of /64. */
const UNIT = { 4: 32, 6: 64 } as const
const isOne = ({ base, prefix_length }: Cidr): boolean => prefix_length >= UNIT[base.family]

export const sizeOf = (network: Cidr): number =>
  isOne(network) ? 1 : 2 ** (UNIT[network.base.family] - network.prefix_length)
