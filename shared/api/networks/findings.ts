// The part of a reconciliation that is about networks behind tunnels, as it is answered (reference.md, Reconcile).
import { nullable, strict, type Static } from '../../schema.ts'
import { sentence } from '../base/errors.ts'
import { RECONCILE_STATUSES, type ReconcileStatus } from '../base/lookups.ts'
import { described, Flag, Id, idIn, list, oneOf, Sentence, shape, someCountsOf, Text, wordIn } from '../base/shapes.ts'

export const NetworkFinding = shape('NetworkFinding', {
  network_id: described(nullable(Id), 'Null: root keeps it, and the panel has no record of it.'),
  network_title: described(Text, '"" without a record.'),
  destination: Sentence,
  status: wordIn(RECONCILE_STATUSES),
  reconcile_status_id: idIn(RECONCILE_STATUSES),
  ...sentence('detail'),
  actions: described(
    list(oneOf(['reapply', 'delete', 'adopt'])),
    'reapply: PATCH without fields. delete: DELETE. adopt: POST with the same destination.',
  ),
  diffs: list(strict({ field: Text, desired: Text, actual: Text })),
})
export type NetworkFinding = Static<typeof NetworkFinding>

/** Empty where root cannot say what it keeps, and `network_findings.detail` then says why. */
export const NetworkFindings = strict({
  networks: list(NetworkFinding),
  network_counts: someCountsOf(Object.keys(RECONCILE_STATUSES) as ReconcileStatus[]),
  network_findings: strict({ readable: Flag, ...sentence('detail') }),
})
export type NetworkFindings = Static<typeof NetworkFindings>
