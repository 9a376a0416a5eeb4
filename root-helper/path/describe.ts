// Describes the outcome of an echo request to a person.
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { ProbeOutcome } from '@panel/shared/path/model.ts'
import type { PathEnds } from '../kernel/icmp/port.ts'
import type { KernelError } from '../kernel-error.ts'
import type { ReceivedIcmp } from '../kernel/icmp/port.ts'

type Hint = (error: string, ends: PathEnds) => Message | null

const HINTS: Readonly<Record<string, Hint>> = {
  EPERM: (error) => message('root.unsent_dropped', { error }),
  EACCES: (error) => message('root.unsent_broadcast', { error }),
  EINVAL: (error, { source_address: address }) =>
    address === '' ? null : message('root.unsent_own_address', { error, address }),
  EADDRNOTAVAIL: (error, { source_address: address }) =>
    address === '' ? null : message('root.unsent_no_address', { error, address }),
  // Kernels answer EINVAL or this for a source address that is not theirs, too.
  ENETUNREACH: (error, { interface_name: name, source_address: address }) => {
    if (name === '')
      return address === ''
        ? message('root.unsent_no_route', { error })
        : message('root.unsent_no_route_from', { error, address })
    return address === ''
      ? message('root.unsent_interface', { error, name })
      : message('root.unsent_interface_from', { error, name, address })
  },
  ENETDOWN: (error, { interface_name: name }) =>
    name === '' ? message('root.unsent_some_down', { error }) : message('root.unsent_down', { error, name }),
  EMSGSIZE: (error) => message('root.unsent_large', { error }),
}

/** The kernel's reason, and the usual cause of it. */
export function describeRefusal({ code, message: error }: KernelError, ends: PathEnds): string {
  return HINTS[code]?.(error, ends)?.message ?? error
}

/** An error that came back. */
export const probeOutcome = ({ kind }: ReceivedIcmp): ProbeOutcome =>
  kind === 'reply' || kind === 'too_big' ? kind : 'unreachable'
export const describeError = ({ from_address: address, text: what, reported_mtu: size }: ReceivedIcmp): string =>
  (size === null ? message('root.says', { address, what }) : message('root.says_fits', { address, what, size })).message
