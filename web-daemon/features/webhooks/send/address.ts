// Where a notification may go: not into the networks of this host unless that is allowed. What is checked is the
// address that is then connected to, so that a name that resolves differently a moment later changes nothing.
import { lookup } from 'node:dns'
import { networkInterfaces } from 'node:os'
import type { LookupFunction } from 'node:net'
import { contains, parseCidr, parseIp, type Ip } from '@panel/shared/address/ip.ts'
import {
  isIpv4InIpv6,
  isLedElsewhere,
  isLinkLocal,
  isLoopback,
  isMulticast,
  isNotGlobal,
  isPrivate,
  isReserved,
  isUnspecified,
} from '@panel/shared/address/special.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'

/** Why nothing was sent, as a sentence for the operator. */
export class SendError extends Error {
  readonly sentence: Message

  constructor(sentence: Message) {
    super(sentence.message)
    this.sentence = sentence
  }
}

export type ResolveAll = (
  name: string,
  answer: (error: NodeJS.ErrnoException | null, addresses: readonly { address: string; family: number }[]) => void,
) => void

export const resolveAll: ResolveAll = (name, answer) =>
  lookup(name, { all: true, verbatim: true }, (error, addresses) => answer(error, error ? [] : addresses))

const SPECIAL = [
  ...[isUnspecified, isLoopback, isMulticast, isReserved, isLinkLocal, isPrivate],
  ...[isIpv4InIpv6, isLedElsewhere, isNotGlobal],
]

/** In a special range, or in a network that this host is in. */
export function isInside(address: string, interfaces = networkInterfaces()): boolean {
  const ip = parseIp(address)
  if (!ip || SPECIAL.some((is) => is(ip))) return true
  return Object.values(interfaces).some((list) => list?.some(({ cidr }) => isIn(cidr, ip)))
}

const isIn = (cidr: string | null, ip: Ip): boolean => {
  const network = cidr === null ? null : parseCidr(cidr)
  return network !== null && contains(network, ip)
}

interface Checked {
  readonly allowPrivate: boolean
  readonly resolve: ResolveAll
}

/** For a socket: every address that it gets was checked. A host that is an address itself is never looked up. */
export function checkedLookup(host: string, { allowPrivate, resolve }: Checked): LookupFunction {
  return (name, options, callback) =>
    resolve(name, (error, addresses) => {
      const [first] = addresses
      const refusal = error ?? (first ? refusalOf(host, addresses, allowPrivate) : unresolved(host, 'ENOTFOUND'))
      if (refusal || !first) return callback(refusal, '', 0)
      if (options.all) return callback(null, [...addresses])
      return callback(null, first.address, first.family)
    })
}

/** Refuses a host that is an inner address. */
export function refuseInside(host: string, allowPrivate: boolean): void {
  const bare = host.replace(/^\[|\]$/g, '')
  const refusal = parseIp(bare) ? refusalOf(host, [{ address: bare }], allowPrivate) : null
  if (refusal) throw refusal
}

/** The one address to connect to, for what looks up names by itself otherwise. */
export function resolveChecked(host: string, checked: Checked): Promise<string> {
  const bare = host.replace(/^\[|\]$/g, '')
  if (parseIp(bare)) {
    refuseInside(host, checked.allowPrivate)
    return Promise.resolve(bare)
  }
  return new Promise((resolve, reject) =>
    checkedLookup(host, checked)(host, {}, (error, address) => {
      if (error) reject(error instanceof SendError ? error : unresolved(host, error.code ?? error.message))
      else resolve(address as string)
    }),
  )
}

const refusalOf = (
  host: string,
  addresses: readonly { readonly address: string }[],
  allowPrivate: boolean,
): SendError | null =>
  !allowPrivate && addresses.some(({ address }) => isInside(address))
    ? new SendError(message('notice.private', { host }))
    : null

export const unresolved = (host: string, error: string): SendError =>
  new SendError(message('notice.unresolved', { host, error }))
