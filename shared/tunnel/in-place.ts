// What of a link the kernel can change while it exists (decisions.md, T14). Pure.
import { sameState } from '../change/change.ts'
import type { LinkConfig } from './model.ts'
import type { TunnelStep } from './step.ts'

export type LinkField = keyof LinkConfig

/** The step that changes each field of a link that exists: `link_create` stands for a new link. */
const CHANGED_BY = {
  kind: 'link_create',
  local_endpoint: 'link_set',
  remote_endpoint: 'link_set',
  bind_device: 'link_set',
  ikey: 'link_set',
  okey: 'link_set',
  has_input_checksum: 'link_set',
  has_output_checksum: 'link_set',
  has_input_sequence: 'link_set',
  has_output_sequence: 'link_set',
  ttl: 'link_set',
  tos: 'link_set',
  is_path_mtu_discovery: 'link_set',
  is_ignore_df: 'link_set',
  encap_limit: 'link_set',
  flow_label: 'link_set',
  fwmark: 'link_set',
  mtu: 'link_set_mtu',
  tx_queue_length: 'link_set_txqueuelen',
  is_multicast: 'link_set_multicast',
  addresses: 'address_add',
} as const satisfies Record<LinkField, TunnelStep['kind']>

const fieldsOf = (steps: readonly TunnelStep['kind'][]): LinkField[] =>
  (Object.keys(CHANGED_BY) as LinkField[]).filter((field) => steps.includes(CHANGED_BY[field]))

/** The outer header of a tunnel's packets. The kernel takes it as one value: what a message leaves out is reset. */
const OUTER_HEADER = fieldsOf(['link_set'])
const FIXED = fieldsOf(['link_create'])

/** Whether the outer header is changed in place, or, after the kernel has failed to do that, with a new link. */
export type Manner = 'in_place' | 'new_link'

const changedIn = (fields: readonly LinkField[], was: LinkConfig, shall: LinkConfig): LinkField[] =>
  fields.filter((field) => !sameState(was[field], shall[field]))

/** The changed fields for which the link is recreated. */
export const fieldsToRecreate = (was: LinkConfig, shall: LinkConfig, manner: Manner): LinkField[] =>
  changedIn(manner === 'in_place' ? FIXED : [...FIXED, ...OUTER_HEADER], was, shall)

export const outerChanges = (was: LinkConfig, shall: LinkConfig): LinkField[] => changedIn(OUTER_HEADER, was, shall)

/**
 * The far end has to follow a change of these at the same time. A receiver drops packets whose checksum is not there
 * exactly if it is configured, and those without a number where it wants one (ip_tunnel_rcv, ip6_tnl_rcv).
 */
export const FAR_END_FOLLOWS = [
  'local_endpoint',
  'remote_endpoint',
  'ikey',
  'okey',
  'has_input_checksum',
  'has_output_checksum',
  'has_input_sequence',
  'has_output_sequence',
] as const satisfies readonly LinkField[]

export const concernsFarEnd = (field: LinkField): boolean => FAR_END_FOLLOWS.some((one) => one === field)
