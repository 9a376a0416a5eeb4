// What the API answers about the panel itself and the host under it (reference.md, System; decisions.md, Y1 to Y7).
import { TOOLS } from '../host/model.ts'
import { Drawn, Limits, LimitsUsed } from '../limits/model.ts'
import { HostInterface, RoutingEntry } from '../tunnel/observed.ts'
import { PROTECTIONS } from '../ruleset/protection.ts'
import { RULE_BACKENDS } from '../ruleset/backend.ts'
import { nullable, strict, Type, type Static } from '../schema.ts'
import { MessageView, sentence } from './base/errors.ts'
import { PERSISTENCE_TYPES, TUNNEL_TYPES } from './base/lookups.ts'
import {
  Count,
  Flag,
  Id,
  idIn,
  Instant,
  list,
  mapOf,
  Never,
  oneOf,
  Sentence,
  shape,
  Text,
  described,
} from './base/shapes.ts'

export const HEALTH_STATUSES = ['ok', 'starting', 'degraded', 'error', 'unknown'] as const
const Status = oneOf(HEALTH_STATUSES)
export type HealthStatus = Static<typeof Status>

/** The state of the panel. A client that is not signed in gets no optional fields. */
export const HealthAnswer = shape('Health', {
  status: Status,
  version: Type.Optional(Sentence),
  uptime_seconds: Type.Optional(Count),
  setup_required: Flag,
  components: list(
    strict({
      name: oneOf([
        'database',
        'netlink',
        'kernel_module',
        'monitor',
        'metrics',
        'helper',
        'rules',
        'heal',
        'tls',
        'listener',
        'signing_key',
        'backup',
      ]),
      status: Status,
      detail: Type.Optional(Sentence),
      detail_message: Type.Optional(MessageView),
    }),
  ),
  checked_at: Instant,
})
export type HealthAnswer = Static<typeof HealthAnswer>
export type HealthComponent = HealthAnswer['components'][number]
export type ComponentName = HealthComponent['name']

export const RuleBackendView = shape('RuleBackend', {
  active: oneOf(RULE_BACKENDS),
  rule_backend_type_id: nullable(Type.Unsafe<number>({ type: 'integer', enum: [10, 20, 30] })),
  available: Flag,
  ...sentence('reason', 'Why this one is active.'),
  ...sentence('detail', 'What does not work, or has bounds.'),
  protection: strict({
    how: described(
      oneOf(PROTECTIONS),
      'owned: the kernel keeps other programs off the rules. held: connections outlive their taking them away. none: neither.',
    ),
    ...sentence('reason', 'What it does, or why there is none.'),
  }),
  fast_path: strict({
    is_able: described(Flag, 'Established connections of relay rules can go past the chains (routes.fast_path).'),
    ...sentence('reason', 'Why they cannot.'),
  }),
  version: Text,
  namespace: described(Text, "Everything of the panel's own is in there, and nothing else."),
  features: mapOf(Flag),
  binaries: mapOf(Flag),
})
export type RuleBackendView = Static<typeof RuleBackendView>

export const CapabilitiesAnswer = shape('Capabilities', {
  tunnel_types: list(
    strict({
      tunnel_type_id: idIn(TUNNEL_TYPES),
      title: Text,
      supported: Flag,
      link_manager: described(oneOf(['netlink']), 'What makes the link.'),
      ...sentence('note'),
    }),
  ),
  persistence: list(
    strict({ persistence_type_id: idIn(PERSISTENCE_TYPES), title: Text, available: Flag, ...sentence('note') }),
  ),
  complete: described(Flag, 'Every probe has finished.'),
  rule_backend: RuleBackendView,
  tools: list(strict({ name: oneOf(TOOLS), available: Flag })),
  kernel: strict({ release: Text }),
})
export type CapabilitiesAnswer = Static<typeof CapabilitiesAnswer>

export const InfoAnswer = shape('Info', {
  build: strict({
    version: Sentence,
    commit: described(Text, '"" in a build without one.'),
    date: described(Text, 'When it was built; "" in a build without one.'),
  }),
  runtime: strict({
    node_version: Sentence,
    os: Sentence,
    arch: Sentence,
    hostname: Text,
    pid: Id,
    uid: Count,
    is_root: Never,
    uptime_seconds: Count,
  }),
  paths: strict({
    data_dir: Sentence,
    database_path: Sentence,
    systemd_dir: described(Text, 'Where units of tunnels lie; "" while the root helper is away, which alone knows.'),
    networkd_dir: described(Text, "Likewise of systemd-networkd's files."),
    socket_path: described(Sentence, 'The socket of the root helper.'),
  }),
  serving: strict({ bind_host: Sentence, bind_port: Count, web_path: Text, base_path: Text, api_base_path: Sentence }),
  kernel: strict({
    release: Sentence,
    loaded_modules: described(
      mapOf(Flag),
      'Of the modules that the panel uses, whether they are there, loaded or built in.',
    ),
  }),
  helper: strict({ version: described(Text, '"" while it is away.'), pid: nullable(Id), connected: Flag }),
  started_at: Instant,
})
export type InfoAnswer = Static<typeof InfoAnswer>

export const InterfacesAnswer = shape('Interfaces', { interfaces: list(HostInterface), total: Count })
export type InterfacesAnswer = Static<typeof InterfacesAnswer>

export const RoutingTableAnswer = shape('RoutingTable', {
  routes: list(RoutingEntry),
  total: Count,
  default_route_devices: described(list(Text), 'The devices that default routes lead to, each once.'),
})
export type RoutingTableAnswer = Static<typeof RoutingTableAnswer>

export const LimitsAnswer = shape('Limits', {
  path: described(Text, 'The file on this host that sets them, which only root can write.'),
  ...sentence('fault', 'What is wrong with the file: nothing new is allowed meanwhile. "": nothing.'),
  limits: described(Limits, 'Of a list the last entry that matches decides; "!" before it takes out what it matches.'),
  used: described(Type.Omit(LimitsUsed, ['drawn']), 'How much of each sum there is.'),
  drawn: Type.Array(shape('DrawnByTunnel', { ...Drawn.properties, ...sentence('detail', 'The same in words.') }), {
    description: 'The tunnels that draw public addresses to this host: IPv4 addresses, and IPv6 networks of /64.',
  }),
})
export type LimitsAnswer = Static<typeof LimitsAnswer>
