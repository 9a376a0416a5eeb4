// When the panel looks at the whole host: as it starts, soon after the host or a record has changed, and from time to time in case an event was lost (decisions.md, S15).
import type { Logger } from 'pino'
import type { ReadDb } from '../context.ts'
import type { Bus } from '../events/bus.ts'
import { Passes, SOON } from '../events/passes.ts'
import { SETTINGS } from '../settings/definitions.ts'
import { readSetting } from '../settings/store.ts'
import type { Watch } from './pass.ts'

const INTERVAL = 'system.reconcile_interval_seconds'

interface Parts {
  readonly watch: Watch
  readonly bus: Bus
  readonly db: ReadDb
  readonly logger: Logger
}

/** Returns the function that ends it, and resolves when no pass is under way any more. */
export function keepWatching({ watch, bus, db, logger }: Parts): () => Promise<void> {
  let interval_seconds: number = SETTINGS[INTERVAL].default
  // Read with each pass, so that a changed setting holds from the next one on.
  const passes = new Passes(async (because) => {
    interval_seconds = await readSetting(db, INTERVAL)
    await watch.pass(because)
  }, { ...SOON, period_ms: () => interval_seconds * 1000 }, logger)
  const hearing = [
    bus.subscribe('host.changed', () => passes.ask('event')),
    ...(['tunnel.created', 'tunnel.updated', 'tunnel.deleted'] as const).map((name) => bus.subscribe(name, () => passes.ask('change'))),
  ]
  passes.start()
  return () => {
    for (const end of hearing) end()
    return passes.close()
  }
}
