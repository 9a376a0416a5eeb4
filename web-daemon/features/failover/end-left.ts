// Ends what is left of the connections to destinations that are down: the daemon was killed between the rotation and
// this, or root was away. Nothing else would end them.
import type { PanelAction } from '../../change/remediate.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext } from '../../platform/context.ts'
import { endConnections } from '../routes/end-connections.ts'
import type { RouteRecord } from '../routes/record.ts'
import { routesOf } from '../routes/store.ts'
import { takersOf } from './takers.ts'
import { checkedIds } from './follow.ts'
import { isChecked } from './rotate.ts'

interface EndLeftDeps {
  readonly context: Omit<CommandContext, 'note'>
  readonly record: (action: PanelAction) => Promise<void>
}

/** Returns whether nothing is left. */
export async function endLeft({ context, record: writeEntry }: EndLeftDeps): Promise<boolean> {
  const { db, inTurn } = context
  let isDone = true
  for (const record of (await routesOf(db, await checkedIds(db))).filter(isChecked)) {
    const note = new AuditNote()
    note.target('route', record.route_rule_id)
    const began = performance.now()
    const ended = await inTurn(() => endConnections({ ...context, note }, record, downIn(record)))
    if (ended === null) isDone = false
    const duration_ms = Math.round(performance.now() - began)
    if (ended !== null && ended > 0) await writeEntry({ action: 'RouteRotate', note, refusal: null, duration_ms })
  }
  return isDone
}

/** The destinations that are down. If all are, each is relayed to as if it were up, and connections go on. */
function downIn(record: RouteRecord): RouteRecord['destinations'] {
  const takers = takersOf(record)
  return record.destinations.filter((one) => one.state === 'down' && !takers.includes(one))
}
