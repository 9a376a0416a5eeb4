// Prints the interfaces of the panel's tunnels, one per line: for scripts, and for the package when it is purged.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AUDIT_ACTIONS } from '@panel/shared/api/audit/actions.ts'
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import { openExistingStore } from '../app/store.ts'
import { existingTunnels } from '../features/tunnels/store.ts'
import type { Config } from '../app/config.ts'
import type { ReadDb } from '../platform/context.ts'
import { CommandError } from './errors.ts'
import { printLine } from './print.ts'

const OWN = '--own'

/** A panel that was never started has none. */
export async function showInterfaces({ state_dir }: Config, args: readonly string[]): Promise<void> {
  if (args.some((arg) => arg !== OWN)) throw new CommandError(`interfaces takes ${OWN} and nothing else.`, 2)
  const store = join(state_dir, 'panel.db')
  if (!existsSync(store)) return
  const db = await openExistingStore(store)
  try {
    const tunnels = args.includes(OWN) ? await ownTunnels(db) : await existingTunnels(db)
    for (const { interface_name } of tunnels) printLine(interface_name)
  } finally {
    await db.destroy()
  }
}

/**
 * Tunnels that a file of the panel keeps, and those that it made itself by its audit log. Any other was adopted, and
 * may belong to another program.
 */
export function ownTunnels(db: ReadDb): Promise<{ interface_name: string }[]> {
  return db
    .selectFrom('tunnel')
    .select('interface_name')
    .where('deleted_date', 'is', null)
    .where((is) =>
      is.or([
        is('persistence_type_id', '!=', PERSISTENCE_TYPES.Runtime),
        is.exists(
          is
            .selectFrom('audit_log')
            .select('audit_log_id')
            .where('audit_action_id', '=', AUDIT_ACTIONS.TunnelCreate)
            .where('target_type', '=', 'tunnel')
            .where('is_success', '=', 1)
            .whereRef('target_id', '=', 'tunnel.tunnel_id'),
        ),
      ]),
    )
    .execute()
}
