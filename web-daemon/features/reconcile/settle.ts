// Finds out how changes of tunnels ended that nobody saw the end of: what the host holds as it is stored was applied (decisions.md, S1).
import { APPLY_STATUSES } from '@panel/shared/api/lookups.ts'
import type { CommandContext } from '../../platform/context.ts'
import { named } from '../tunnels/record.ts'
import { markApplyStatus, pageOfTunnels } from '../tunnels/store.ts'
import type { Item } from './report.ts'

const ALL = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }

/** One that differs stays pending: whether it is to be as stored or as found is not for the panel to say. Call it inside `inTurn`, where no change is under way. */
export async function settlePending(
  { db, now, publish }: Pick<CommandContext, 'db' | 'now' | 'publish'>,
  items: readonly Item[],
): Promise<void> {
  const { read } = await pageOfTunnels(db, { apply_status_id: APPLY_STATUSES.Pending }, ALL)
  const inSync = new Set(items.filter(({ status }) => status === 'InSync').map(({ tunnel_id }) => tunnel_id))
  for (const record of (await read()).filter(({ tunnel_id }) => inSync.has(tunnel_id))) {
    const date = now().toISOString()
    await markApplyStatus(
      db,
      record.tunnel_id,
      { apply_status_id: APPLY_STATUSES.Applied, last_apply_error: '', last_applied_date: date },
      date,
    )
    publish('tunnel.updated', named(record))
  }
}
