// Shadowed rules, from the drift report.
import type { RouteFinding } from '@panel/shared/api/routes/findings.ts'
import { endpoint, createQuery } from '../../core/query.svelte.ts'

export type Shadowing = readonly { readonly route_rule_id: number; readonly title: string }[]

/**
 * Call once in a page's script; by the id of the shadowed rule. With an order of rules: as it would be in that order.
 * `isNeeded`: one rule alone shadows none.
 */
export const shadows = (
  order: () => readonly number[] | null = () => null,
  isNeeded: () => boolean = () => true,
): { readonly of: (route_rule_id: number) => Shadowing } => {
  const report = createQuery(() => ({ ...endpoint('GET /reconcile'), refetchInterval: 60_000, enabled: isNeeded() }))
  const places = $derived(new Map(order()?.map((id, place) => [id, place])))
  const placeOf = (id: number): number => places.get(id) ?? Infinity
  const shadowing = ({ route_rule_id, shadows: stored, covered_by }: RouteFinding): readonly number[] =>
    order() ? covered_by.filter((id) => placeOf(id) < placeOf(route_rule_id)) : stored
  const byId = $derived.by(() => {
    const findings = report.data?.routes ?? []
    const titles = new Map(findings.map(({ route_rule_id, title }) => [route_rule_id, title]))
    return new Map(
      findings.map((one) => [
        one.route_rule_id,
        shadowing(one).map((route_rule_id) => ({
          route_rule_id,
          title: titles.get(route_rule_id) ?? `${route_rule_id}`,
        })),
      ]),
    )
  })
  return { of: (route_rule_id) => byId.get(route_rule_id) ?? [] }
}
