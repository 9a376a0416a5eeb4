// The fields of the rule form that are one input each. What a rule has besides, draft.ts adds.
import type { FormField } from '../../components/form/fields.ts'

export const SNAT = 20
export const NO_NAT = 30

const PORT = { min: '1', max: '65535' }
const LIMIT = { kind: 'number', group: 'advanced', hint: 'routes.hint.no_limit', attributes: { min: '1' } } as const
const FLAG = { kind: 'flag', group: 'advanced', isNullable: true } as const

export const FIELDS = [
  {
    name: 'route_protocol_id',
    kind: 'choice',
    group: 'listens',
    label: 'routes.field.protocol',
    usual: 10,
    options: [
      [10, 'TCP'],
      [20, 'UDP'],
      [30, 'TCP + UDP'],
    ],
  },
  {
    name: 'bind_port',
    kind: 'number',
    group: 'listens',
    label: 'routes.field.bind_port',
    attributes: { ...PORT, required: true },
  },
  {
    name: 'bind_port_range_end',
    kind: 'number',
    group: 'listens',
    label: 'routes.field.bind_port_range_end',
    hint: 'routes.hint.range',
    attributes: PORT,
  },
  {
    name: 'bind_address',
    kind: 'code',
    group: 'listens',
    label: 'routes.field.bind_address',
    hint: 'routes.hint.bind_address',
    attributes: { placeholder: '0.0.0.0' },
  },
  {
    name: 'route_rule_title',
    kind: 'text',
    group: 'naming',
    label: 'routes.field.title',
    hint: 'routes.hint.title',
    attributes: { maxlength: 100 },
  },
  { name: 'is_enabled', kind: 'switch', group: 'enabling', label: 'routes.field.enabled', usual: true },
  {
    name: 'nat_mode_id',
    kind: 'choice',
    group: 'source',
    label: 'routes.field.nat',
    hint: ({ nat_mode_id }) => (nat_mode_id === NO_NAT ? 'routes.hint.nat_none' : 'routes.hint.nat'),
    usual: 10,
    options: [
      [10, 'routes.nat.masquerade'],
      [SNAT, 'routes.nat.snat'],
      [NO_NAT, 'routes.nat.none'],
    ],
  },
  {
    name: 'snat_address',
    kind: 'code',
    group: 'source',
    label: 'routes.field.snat_address',
    isNullable: true,
    isShown: ({ nat_mode_id }) => nat_mode_id === SNAT,
  },
  {
    name: 'snat_address_interface',
    kind: 'code',
    group: 'source',
    label: 'routes.field.snat_address_interface',
    hint: 'routes.hint.address_interface',
    isNullable: true,
    isShown: ({ nat_mode_id }) => nat_mode_id === SNAT,
  },
  {
    name: 'bind_address_interface',
    kind: 'code',
    group: 'advanced',
    label: 'routes.field.bind_address_interface',
    hint: 'routes.hint.address_interface',
    isNullable: true,
  },
  {
    name: 'bind_interface',
    kind: 'code',
    group: 'advanced',
    label: 'routes.field.bind_interface',
    hint: 'routes.hint.bind_interface',
    isNullable: true,
  },
  { name: 'max_connections_per_source', label: 'routes.field.max_connections', ...LIMIT },
  { name: 'connection_rate_limit', label: 'routes.field.rate_limit', ...LIMIT },
  { name: 'is_self_heal', label: 'routes.field.self_heal', ...FLAG },
  { name: 'is_fast_path', label: 'routes.field.fast_path', ...FLAG },
  { name: 'fwmark', kind: 'number', group: 'advanced', label: 'routes.field.fwmark', attributes: { min: '1' } },
  {
    name: 'is_clamp_mss_to_pmtu',
    kind: 'switch',
    group: 'advanced',
    label: 'routes.field.clamp',
    hint: 'routes.hint.clamp',
    usual: true,
  },
  { name: 'is_include_local_originated', kind: 'switch', group: 'advanced', label: 'routes.field.local' },
  { name: 'is_logging_enabled', kind: 'switch', group: 'advanced', label: 'routes.field.logging' },
  { name: 'tags', kind: 'tags', group: 'advanced', label: 'routes.field.tags', hint: 'routes.hint.tags' },
  { name: 'description', kind: 'lines', group: 'advanced', label: 'routes.field.description' },
] as const satisfies readonly FormField[]

type Group = (typeof FIELDS)[number]['group']
export const inGroup = (group: Group): readonly (typeof FIELDS)[number][] => FIELDS.filter((one) => one.group === group)
