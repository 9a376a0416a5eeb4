// Why the name of a far end leads nowhere: it has no address, or addresses of the other family alone.
import { message, type Message } from '@panel/shared/messages/message.ts'
import { otherFamily, type FollowedName } from '../../../platform/network/followed-names.ts'
import type { Resolution } from '../../../platform/network/resolver.ts'

export function whyUnresolved(
  { hostname, family }: Pick<FollowedName, 'hostname' | 'family'>,
  error: string,
  other: Resolution,
): Message {
  return other.isFound
    ? message('tunnel.name_other_family', { hostname, other: `IPv${otherFamily(family)}`, family: `IPv${family}` })
    : message('check.name_missing', { hostname, error })
}
