// What the API answers about the relay rules that use a tunnel (interface.md, GET /tunnels/{id}/routes; decisions.md, R29).
/** What a tunnel is told of a rule that relays over it. */
export interface DependentRoute {
  route_rule_id: number
  title: string
  protocol: string
  bind: string
  destination: string
  is_enabled: boolean
}

export interface TunnelRoutesAnswer {
  routes: DependentRoute[]
  total: number
  note: string
}
