// What the host holds otherwise than the panel would have it, in the form of a difference: that of reconciliation.
import type { ObjectDifference, RevisionKind } from '@panel/shared/api/revisions.ts'
import type { Heals } from '../../change/heal.ts'
import type { ReadContext } from '../../platform/context.ts'
import { networkFindings } from '../networks/findings.ts'
import { compareAll } from '../reconcile/report.ts'
import { routeFindings } from '../rule-health/findings.ts'

interface Finding {
  readonly status: string
  readonly diffs: readonly { readonly field: string; readonly desired: string; readonly actual: string }[]
}

/** Fields have the names that a verification gives them. What the panel has no record of is left out. */
export async function hostDifferences(context: ReadContext, heals: Heals): Promise<ObjectDifference[]> {
  const [tunnels, rules, networks] = await Promise.all([
    compareAll(context),
    routeFindings(context, heals),
    networkFindings(context),
  ])
  return [
    ...tunnels.items.map((one) => differenceOf('tunnel', one.tunnel_id, one.interface_name, one)),
    ...networks.networks.map((one) => differenceOf('network', one.network_id, one.network_title, one)),
    ...rules.routes.map((one) => differenceOf('route', one.route_rule_id, one.title, one)),
  ].filter((one) => one !== null)
}

function differenceOf(
  kind: RevisionKind,
  id: number | null,
  title: string,
  { status, diffs }: Finding,
): ObjectDifference | null {
  if (id === null || status === 'InSync') return null
  const changes = diffs.map(({ field, desired, actual }) => ({ field, before: desired, after: actual }))
  return { kind, target_key: String(id), title, what: status === 'Missing' ? 'deleted' : 'updated', changes }
}
