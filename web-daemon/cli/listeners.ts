// Where the panel listens, for a user on the server: as the operator has kept it, or else as it is configured.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../app/config.ts'
import { openExistingStore } from '../app/store.ts'
import { forgetListener, hasTable, keptListener } from '../features/listeners/store.ts'
import type { Place } from '../platform/http/sockets.ts'
import type { Store } from '../platform/db/store.ts'
import { errorCode } from '../platform/db/trouble.ts'
import { printError, printLine } from './print.ts'

export interface Way extends Place {
  readonly is_tls: boolean
}

/** The likelier one first. A store that cannot be read, as on a full disk, keeps nobody from the configured one. */
export async function waysIn(config: Config): Promise<Way[]> {
  const configured = placeIn(config)
  const ways = [{ ...configured, is_tls: config.tls !== null }]
  try {
    const kept = await withStore(config, (db) => keptListener(db, configured))
    return kept ? [{ address: kept.address, port: kept.port, is_tls: kept.tls !== null }, ...ways] : ways
  } catch (failure) {
    printError(
      `The store cannot be read (${errorCode(failure) || 'ERROR'}), so only the configured address is known.\n`,
    )
    return ways
  }
}

/** One line for scripts: address, port, and http or https. */
export async function showListener(config: Config): Promise<void> {
  const [way] = await waysIn(config)
  if (way) printLine(`${way.address} ${way.port} ${way.is_tls ? 'https' : 'http'}`)
}

/** The running daemon listens as before until it is restarted. */
export async function forgetKeptListener(config: Config): Promise<void> {
  await withStore(config, forgetListener)
}

const placeIn = ({ listen_address: address, listen_port: port }: Config): Place => ({ address, port })

/** Null without a store, and with one of a version that knew no other listeners. */
async function withStore<T>({ state_dir }: Config, work: (db: Store) => Promise<T>): Promise<T | null> {
  const path = join(state_dir, 'panel.db')
  if (!existsSync(path)) return null
  const db = await openExistingStore(path)
  try {
    return (await hasTable(db)) ? await work(db) : null
  } finally {
    await db.destroy()
  }
}
