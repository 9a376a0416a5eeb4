// Checks on a copy that this version can migrate the store. An upgrade runs it before it stops the old daemons.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../app/store.ts'
import { copyStore } from '../platform/db/open.ts'
import type { Config } from '../app/config.ts'
import { printLine } from './print.ts'

export async function checkStore({ state_dir }: Config): Promise<void> {
  const store = join(state_dir, 'panel.db')
  if (!existsSync(store)) return void printLine('There is no store yet.')
  const folder = mkdtempSync(join(state_dir, 'check-'))
  try {
    const copy = join(folder, 'panel.db')
    copyStore(store, copy)
    const db = await openStore(copy)
    await db.destroy()
    printLine('The store can be used by this version.')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
