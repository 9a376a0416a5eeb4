// What the API answers about the connections that a rule relays (interface.md, GET /routes/{id}/connections; decisions.md, F22).
import type { Warning } from './errors.ts'
import type { RelayConnection } from '../model/connection.ts'

/**
 * `available` false: the table cannot be read, which is not the same as no users; `total` is then null. `connections` are at most as many as
 * were asked for, `total` and `by_source` count all. `bytes_counted` false: the kernel counts none (nf_conntrack_acct is 0).
 */
export interface ConnectionsAnswer {
  route_rule_id: number
  reader: 'netlink'
  available: boolean
  bytes_counted: boolean
  detail: string
  connections: Omit<RelayConnection, 'route_rule_id'>[]
  total: number | null
  by_source: Record<string, number>
  /** Between the last two looks that the panel took by itself; null where there are none. */
  new_per_second: number | null
  warnings: Warning[]
  checked_at: string
}
