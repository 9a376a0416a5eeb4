// Prints the interfaces of the panel's tunnels, one per line: for scripts, and for the package when it is purged.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
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

/** Tunnels that a file of the panel keeps, and those that it made itself. Any other may belong to another program. */
export function ownTunnels(db: ReadDb): Promise<{ interface_name: string }[]> {
  return db
    .selectFrom('tunnel')
    .select('interface_name')
    .where('deleted_date', 'is', null)
    .where((is) => is.or([is('persistence_type_id', '!=', PERSISTENCE_TYPES.Runtime), is('is_adopted', '=', 0)]))
    .execute()
}
