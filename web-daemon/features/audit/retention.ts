// Deletes audit entries that are older than the operator keeps them: at the start, every day, and at once where the setting is changed (decisions.md, U4).
import type { Logger } from 'pino'
import type { CommandContext } from '../../platform/context.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { deleteSomeBefore } from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const SETTING = 'system.audit_retention_days'

interface RetentionDeps {
  readonly db: CommandContext['db']
  readonly bus: Bus
  readonly settings: SettingsReader
  readonly now: () => Date
  readonly logger: Logger
}

/** A slice at a time, so that nobody waits for more than one of them. */
const SLICE = 500

/** Answers with the function that ends it. What is old goes while the panel already serves: a store that cannot be written is no reason not to start. */
export function keepPruning({ db, bus, settings, now, logger }: RetentionDeps): () => Promise<void> {
  let isEnding = false
  const prune = async (): Promise<void> => {
    const limit = new Date(now().getTime() - settings.get(SETTING) * DAY_MS).toISOString()
    while (!isEnding && (await deleteSomeBefore(db, limit, SLICE)) > 0)
      await new Promise((resolve) => setImmediate(resolve))
  }
  let pruning = Promise.resolve()
  const again = (): void => {
    pruning = pruning.then(prune).catch((err: unknown) => logger.error({ err }, 'old audit entries stay'))
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
