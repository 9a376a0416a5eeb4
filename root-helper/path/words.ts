// What became of an echo request, in words for people.
import { DROPPED_HERE, type ProbeOutcome } from '@panel/shared/path/model.ts'
import type { PathEnds } from '../kernel/icmp/port.ts'
import type { KernelError } from '../kernel-error.ts'
import type { Heard } from '../kernel/icmp/port.ts'

const HINTS: Record<string, (ends: PathEnds) => string> = {
  EPERM: () => DROPPED_HERE,
  EACCES: () => 'it is a broadcast address, or a route prohibits it',
  EINVAL: ({ source_address }) => (source_address === '' ? '' : `is ${source_address} an address of this host?`),
  EADDRNOTAVAIL: ({ source_address }) => `${source_address} is no address of this host`,
  // What kernels say of a source that is not theirs, too: EINVAL or this.
  ENETUNREACH: ({ interface_name, source_address }) =>
    `${interface_name === '' ? 'this host has no route there' : `${interface_name} is down, or does not lead there`}${source_address === '' ? '' : `, or ${source_address} is no address of this host`}`,
  ENETDOWN: ({ interface_name }) => `${interface_name || 'the interface'} is down`,
  EMSGSIZE: () => "it is larger than the MTU of this host's own link",
}

/** The kernel's words, and what is often behind them. */
export function refusalWords(error: KernelError, ends: PathEnds): string {
  const hint = HINTS[error.code]?.(ends) ?? ''
  return hint === '' ? error.message : `${error.message}: ${hint}`
}

/** An error that came back. */
export const outcomeOf = ({ kind }: Heard): ProbeOutcome =>
  kind === 'reply' || kind === 'too_big' ? kind : 'unreachable'
export const errorWords = ({ from_address, words, reported_mtu }: Heard): string =>
  `${from_address} says: ${words}${reported_mtu === null ? '' : `; ${reported_mtu} bytes fit`}`
