// Why an address can be no destination, in any request.
import type { Ip } from '@panel/shared/address/ip.ts'
import { isIpv4InIpv6, isLinkLocal, isMulticast, isReserved, isUnspecified } from '@panel/shared/address/special.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'

export function destinationProblem(ip: Ip): Message | null {
  if (isUnspecified(ip)) return message('route.destination_any')
  if (isMulticast(ip)) return message('route.destination_multicast')
  if (isReserved(ip)) return message('route.destination_reserved')
  if (isIpv4InIpv6(ip)) return message('route.destination_mapped')
  return ip.family === 6 && isLinkLocal(ip) ? message('route.destination_link_local') : null
}
