// Shadowed rules, from the drift report.
import { endpoint, createQuery } from '../../core/query.svelte.ts'

export type Shadowing = readonly { readonly route_rule_id: number; readonly title: string }[]

/** Call once in a page's script; by the id of the shadowed rule. */
export const shadows = (): { readonly of: (route_rule_id: number) => Shadowing } => {
  const report = createQuery(() => ({ ...endpoint('GET /reconcile'), refetchInterval: 60_000 }))
  const byId = $derived.by(() => {
    const findings = report.data?.routes ?? []
    const titles = new Map(findings.map(({ route_rule_id, title }) => [route_rule_id, title]))
    return new Map(
      findings.map((one) => [
        one.route_rule_id,
        one.shadows.map((route_rule_id) => ({ route_rule_id, title: titles.get(route_rule_id) ?? `${route_rule_id}` })),
      ]),
    )
  })
  return { of: (route_rule_id) => byId.get(route_rule_id) ?? [] }
}
