// Sends one router advertisement out of an interface of this network namespace (RFC 4861, 4.2), as a router would.
// Arguments: the interface, the seconds for which it is a default router, and a prefix for addresses, or "".
import { isIPv6 } from 'node:net'
import { native } from '@panel/root-helper/native/index.ts'
import { ipBytes } from '@panel/root-helper/netlink/bytes.ts'

const [interface_name = '', lifetime = '0', prefix = ''] = process.argv.slice(2)

const ADVERTISEMENT = 134
const PREFIX_INFORMATION = 3
const ON_LINK_AND_AUTONOMOUS = 0xc0
const SECONDS = 1800
/** The only hop limit that the kernel accepts: other packets may have come through a router. */
const HOP_LIMIT = 255

function advertisement(): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt8(ADVERTISEMENT, 0)
  head.writeUInt8(64, 4)
  head.writeUInt16BE(Number(lifetime), 6)
  if (!isIPv6(prefix)) return head
  const option = Buffer.alloc(16)
  option.set([PREFIX_INFORMATION, 4, 64, ON_LINK_AND_AUTONOMOUS], 0)
  option.writeUInt32BE(SECONDS, 4)
  option.writeUInt32BE(SECONDS, 8)
  return Buffer.concat([head, option, ipBytes(prefix)])
}

const channel = native.openIcmp(6)
const index = native.interfaceIndex(channel, interface_name)
const sent = native.sendPacket(channel, advertisement(), ipBytes('ff02::1'), Buffer.alloc(0), index, HOP_LIMIT)
native.close(channel)
if (sent < 0) throw new Error(`errno ${-sent}`)
