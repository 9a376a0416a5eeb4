// Prints the interfaces of the panel's tunnels, one per line: for scripts, and for the package when it is purged.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openExistingStore } from '../app/store.ts'
import { existingTunnels } from '../features/tunnels/store.ts'
import type { Config } from '../app/config.ts'
import { printLine } from './print.ts'

/** A panel that was never started has none. */
export async function showInterfaces({ state_dir }: Config): Promise<void> {
  const store = join(state_dir, 'panel.db')
  if (!existsSync(store)) return
  const db = await openExistingStore(store)
  try {
    for (const { interface_name } of await existingTunnels(db)) printLine(interface_name)
  } finally {
    await db.destroy()
  }
}
