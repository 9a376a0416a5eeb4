// Facts of an interface from /sys/class/net (Documentation/ABI/testing/sysfs-class-net; linux/if_arp.h).
import type { InterfaceReading } from '@panel/shared/api/metrics.ts'

/** The contents of the interface's files. */
export interface LinkFiles {
  readonly uevent: string
  readonly type: string
  readonly flags: string
  readonly mtu: string
  readonly operstate: string
  /** Whether it belongs to a device of the host. */
  readonly hasDevice: boolean
  /** Whether it is a TUN or TAP. */
  readonly hasTunFlags: boolean
}

export type LinkFacts = Pick<InterfaceReading, 'index' | 'class' | 'kind' | 'mtu' | 'oper_state' | 'is_up'>

/** For an interface that was removed while it was read. */
export const NO_FACTS: LinkFacts = { index: 0, class: 'other', kind: '', mtu: 0, oper_state: 'UNKNOWN', is_up: false }

const ARPHRD_LOOPBACK = 772
const KIND_OF_TYPE: Readonly<Record<number, string>> = { 776: 'sit', 778: 'gre', 823: 'ip6gre' }
/** ARPHRD_TUNNEL and ARPHRD_TUNNEL6 are used by several kinds. */
const TUNNEL_TYPES = [768, 769, 776, 778, 823]
const TUNNEL_KINDS = [
  'gre',
  'gretap',
  'ip6gre',
  'ip6gretap',
  'erspan',
  'sit',
  'tun',
  'wireguard',
  'vxlan',
  'geneve',
  'bareudp',
]
const IFF_UP = 1

/** Links that the kernel makes with the module; for Ethernet kinds sysfs does not tell the kind. */
export const KIND_OF_NAME: Readonly<Record<string, string>> = { gretap0: 'gretap', erspan0: 'erspan' }

/** `knownKind`: needed only for Ethernet kinds, which look like any other Ethernet. */
export function linkFacts(files: LinkFiles, knownKind = ''): LinkFacts {
  const type = Number(files.type)
  const kind = kindOf(files, type, knownKind)
  return {
    index: Number(/^IFINDEX=(\d+)$/m.exec(files.uevent)?.[1] ?? 0),
    class: classOf(files, type, kind),
    kind,
    mtu: Number(files.mtu),
    oper_state: files.operstate.trim().toUpperCase(),
    is_up: (Number(files.flags) & IFF_UP) !== 0,
  }
}

const kindOf = ({ uevent, hasDevice, hasTunFlags }: LinkFiles, type: number, knownKind: string): string => {
  const reported = /^DEVTYPE=([\w-]+)$/m.exec(uevent)?.[1] ?? KIND_OF_TYPE[type]
  if (reported !== undefined) return reported
  if (hasTunFlags) return 'tun'
  return hasDevice ? '' : knownKind
}

const classOf = ({ hasDevice }: LinkFiles, type: number, kind: string): LinkFacts['class'] => {
  if (type === ARPHRD_LOOPBACK) return 'loopback'
  if (TUNNEL_TYPES.includes(type) || TUNNEL_KINDS.includes(kind)) return 'tunnel'
  return hasDevice ? 'physical' : 'other'
}
