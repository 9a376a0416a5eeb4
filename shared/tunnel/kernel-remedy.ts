// What to do where the kernel cannot make tunnels. Pure.
import { message, type Message } from '../messages/message.ts'

interface Refused {
  readonly kind: string
  /** The kernel's reason. */
  readonly detail: string
}

/** A container may have the driver and still not be allowed to use it. */
const FORBIDDEN = /not permitted|EPERM/

/** In words for people who may not know the kernel's own. */
export function kernelRemedy(refused: readonly Refused[]): Message {
  if (refused.some(({ detail }) => FORBIDDEN.test(detail))) return message('component.kernel_forbidden')
  const modules = new Set(refused.map(({ kind }) => (kind.startsWith('ip6') ? 'ip6_gre' : 'ip_gre')))
  return message('component.kernel_load', { command: `modprobe -a ${[...modules].join(' ')}` })
}
