// What a host can do: the answer to "host.probe", read live and never remembered.
import { integer, line, nullable, strict, stringEnum, Type, type Static } from '../schema.ts'
import { Listener } from './listener.ts'
import { LimitsFound, LimitsUsed } from '../limits/model.ts'
import { RuleBackendFound } from '../ruleset/backend.ts'
import { FastPathFound } from '../ruleset/fast-path.ts'
import { Protection } from '../ruleset/protection.ts'
import { HostInterface, RoutingEntry } from '../tunnel/observed.ts'
import { LINK_KINDS, PERSISTENCE_BACKENDS } from '../tunnel/model.ts'

export const TOOLS = [
  'ip',
  'systemctl',
  'nft',
  'iptables',
  'iptables-restore',
  'ip6tables',
  'ip6tables-restore',
  'conntrack',
] as const

/** `detail` gives the system's reason why something is available or not. Nothing is started or loaded to find out. */
export const HelperFacts = strict({
  savers: Type.Array(strict({ by: stringEnum(PERSISTENCE_BACKENDS), available: Type.Boolean(), detail: line(300) })),
  kernel_release: line(100),
  unit_dir: line(4096),
  networkd_dir: line(4096),
  sysctl_dir: line(4096),
  version: line(60),
  pid: integer(1, 0x7fff_ffff),
})
export type HelperFacts = Static<typeof HelperFacts>

/** Asking makes the kernel load the module of a kind that it does not have yet. */
export const LinkKindSupport = strict({ kind: stringEnum(LINK_KINDS), supported: Type.Boolean(), detail: line(300) })
export type LinkKindSupport = Static<typeof LinkKindSupport>

/** Found out by starting what carries out relay rules here: whether it still answers. */
export const Tools = strict({
  backend: strict({ available: Type.Boolean(), version: line(60), detail: line(300) }),
  tools: Type.Array(strict({ name: stringEnum(TOOLS), available: Type.Boolean() })),
})
export type Tools = Static<typeof Tools>

/** A preview may request all but `tools`, which starts programs, and `state`, which writes. */
export const HOST_PARTS = [
  'helper',
  'rule_backend',
  'link_kinds',
  'tools',
  'interfaces',
  'routing_table',
  'listeners',
  'state',
  'ours',
  'limits',
  'limits_used',
] as const

/**
 * What there is of the panel: tunnels with a link or a file, relay rules in force or brought back at boot. `is_any` also
 * of what is neither, such as an empty table or an open window.
 */
export const Ours = strict({ tunnels: integer(0, 1e6), rules: integer(0, 1e6), is_any: Type.Boolean() })
export type Ours = Static<typeof Ours>

/** A part that was not requested is null. */
export const HostFound = strict({
  helper: nullable(HelperFacts),
  rule_backend: nullable(strict({ ...RuleBackendFound.properties, protection: Protection, fast_path: FastPathFound })),
  link_kinds: nullable(Type.Array(LinkKindSupport)),
  tools: nullable(Tools),
  interfaces: nullable(Type.Array(HostInterface)),
  routing_table: nullable(Type.Array(RoutingEntry)),
  listeners: nullable(Type.Array(Listener)),
  /** Whether the helper's own files can be used, tried by writing; "" where they can. */
  state: nullable(strict({ trouble: line(1000) })),
  ours: nullable(Ours),
  limits: nullable(LimitsFound),
  /** Takes a look at every tunnel and rule. */
  limits_used: nullable(LimitsUsed),
})
export type HostFound = Static<typeof HostFound>
