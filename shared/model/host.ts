// What a host can do: the answer to "host.probe", read live and never remembered.
import { integer, line, nullable, strict, stringEnum, Type, type Static } from './schema.ts'
import { HostInterface, RoutingEntry } from './observed.ts'
import { LINK_KINDS, SAVERS } from './tunnel.ts'

export const TOOLS = ['ip', 'systemctl', 'nft', 'iptables', 'iptables-restore', 'ip6tables', 'ip6tables-restore', 'conntrack'] as const

/** `detail` says in the kernel's or the system's words why something is or is not there. */
export const Capabilities = strict({
  link_kinds: Type.Array(strict({ kind: stringEnum(LINK_KINDS), supported: Type.Boolean(), detail: line(300) })),
  savers: Type.Array(strict({ by: stringEnum(SAVERS), available: Type.Boolean(), detail: line(300) })),
  nftables: strict({ available: Type.Boolean(), version: line(60), detail: line(300) }),
  tools: Type.Array(strict({ name: stringEnum(TOOLS), available: Type.Boolean() })),
  kernel_release: line(100),
  unit_dir: line(4096),
  sysctl_dir: line(4096),
  version: line(60),
  pid: integer(1, 0x7fff_ffff),
})
export type Capabilities = Static<typeof Capabilities>

export const HOST_PARTS = ['capabilities', 'interfaces', 'routing_table'] as const
export type HostPart = (typeof HOST_PARTS)[number]

/** A part that was not asked for is null. */
export const HostFound = strict({
  capabilities: nullable(Capabilities),
  interfaces: nullable(Type.Array(HostInterface)),
  routing_table: nullable(Type.Array(RoutingEntry)),
})
export type HostFound = Static<typeof HostFound>
