// What a client may say and is answered about IP forwarding (interface.md, system/forwarding; decisions.md, F27 to F29).
import { strict, type Static } from '../model/schema.ts'
import type { Warning } from './errors.ts'
import { flag, maybe } from './fields.ts'

export const ForwardingBody = strict({ revert: maybe(flag('revert', 'Put back what was set before the panel turned forwarding on, and remove its file. Default false.')) })
export type ForwardingBody = Static<typeof ForwardingBody>

/** `previous_values` are what the switches were before the panel first turned one on, by their sysctl names; {} where it never did. Connections are null where the kernel does not track any. */
export interface ForwardingView {
  ipv4_forwarding: boolean
  ipv6_forwarding: boolean
  backend: string
  sysctl_path: string
  panel_managed: boolean
  previous_values: Record<string, 0 | 1>
  can_revert: boolean
  conntrack_count: number | null
  conntrack_max: number | null
  conntrack_usage_percent: number | null
  namespace: string
}

/** Rules of other software that bear on relayed packets. */
export interface ForeignView {
  readable: boolean
  managers: string[]
  rules: { table: string; chain: string; text: string; protocol: string; address: string; port: number | null; port_end: number | null; manager: string }[]
  total: number
  detail: string
}

export interface ForwardingAnswer {
  forwarding: ForwardingView
  foreign: ForeignView
  backend: Record<string, unknown>
  warnings: Warning[]
}

export interface ForwardingChangeAnswer {
  action: 'enable' | 'revert'
  forwarding: ForwardingView
  warnings: Warning[]
  note: string
}
