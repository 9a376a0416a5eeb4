// Why a host name leads nowhere: it has no address, or addresses of the other family alone.
import type { Family } from '@panel/shared/address/ip.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { otherFamily } from '../../platform/network/followed-names.ts'
import type { Resolution } from '../../platform/network/resolver.ts'

/** `other`: what it resolves to in the other family. */
export function whyUnresolved(hostname: string, family: Family, error: string, other: Resolution | undefined): Message {
  return other?.isFound
    ? message('check.name_other', { hostname, other: `IPv${otherFamily(family)}`, family: `IPv${family}` })
    : message('check.name_missing', { hostname, error })
}

export const hasOtherFamily = ({ message_id }: Message): boolean => message_id === 'check.name_other'

/** `isHeld`: it resolved before, and its destinations have kept their addresses. */
export const whatBecomes = (why: Message, isHeld: boolean): Message =>
  isHeld ? message('check.health_last_addresses', { why }) : message('check.health_name_out', { why })
