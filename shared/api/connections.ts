// What the API answers about the connections that a rule relays (interface.md, GET /routes/{id}/connections; decisions.md, F22).
export interface ConnectionView {
  protocol: 'tcp' | 'udp'
  source_address: string
  source_port: number
  bind_address: string
  bind_port: number
  destination_address: string
  destination_port: number
  state: string
  age_seconds: number | null
  timeout_seconds: number
  rx_bytes: number | null
  tx_bytes: number | null
  rx_packets: number | null
  tx_packets: number | null
  mark: number
}

/** `available` false: the table cannot be read, which is not the same as no users; `total` is then null. `bytes_counted` false: the kernel counts none (nf_conntrack_acct). */
export interface ConnectionsAnswer {
  route_rule_id: number
  reader: string
  available: boolean
  bytes_counted: boolean
  detail: string
  connections: ConnectionView[]
  total: number | null
  by_source: Record<string, number>
  new_per_second: number | null
  checked_at: string
}
