// Deletes audit entries that are older than the setting: at the start, every day, and when the setting changes
// (decisions.md, U4).
import type { Logger } from 'pino'
import type { StoreContext } from '../../platform/context.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { deleteSomeBefore } from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const SETTING = 'system.audit_retention_days'

interface RetentionDeps {
  readonly db: StoreContext['db']
  readonly bus: Bus
  readonly settings: SettingsReader
  readonly now: () => Date
  readonly logger: Logger
}

/** Deletes in slices, so that other requests wait for one slice at most. */
const SLICE = 500

/**
 * Returns the function that ends it. The first run happens while the panel already serves: a store that cannot be
 * written must not keep it from starting.
 */
export function keepPruning({ db, bus, settings, now, logger }: RetentionDeps): () => Promise<void> {
  let isEnding = false
  const prune = async (): Promise<void> => {
    const limit = new Date(now().getTime() - settings.get(SETTING) * DAY_MS).toISOString()
    while (!isEnding && (await deleteSomeBefore(db, limit, SLICE)) > 0)
      await new Promise((resolve) => setImmediate(resolve))
  }
  let pruning = Promise.resolve()
  const again = (): void => {
    pruning = pruning
      .then(prune)
      .catch((err: unknown) => logger.error({ err }, 'old audit entries could not be deleted'))
  }
  again()
  const daily = setInterval(again, DAY_MS)
  const endHearing = bus.subscribe('settings.changed', ({ keys }) => {
    if (keys.includes(SETTING)) again()
  })
  return () => {
    isEnding = true
    clearInterval(daily)
    endHearing()
    return pruning
  }
}
