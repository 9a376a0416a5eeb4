// Deletes audit entries that are older than the operator keeps them: at the start, every day, and at once where the setting is changed (decisions.md, U4).
import type { Logger } from 'pino'
import type { CommandContext } from '../context.ts'
import type { Bus } from '../events/bus.ts'
import type { SettingsReader } from '../settings/reader.ts'
import { deleteEntriesBefore } from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const SETTING = 'system.audit_retention_days'

interface Parts {
  readonly db: CommandContext['db']
  readonly bus: Bus
  readonly settings: SettingsReader
  readonly now: () => Date
  readonly logger: Logger
}

/** Resolves once what is old is gone, with the function that ends it. */
export async function keepPruning({ db, bus, settings, now, logger }: Parts): Promise<() => Promise<void>> {
  const prune = (): Promise<void> => deleteEntriesBefore(db, new Date(now().getTime() - settings.get(SETTING) * DAY_MS).toISOString())
  let pruning = prune()
  await pruning
  const again = (): void => {
    pruning = pruning.then(prune).catch((err: unknown) => logger.error({ err }, 'old audit entries stay'))
  }
  const daily = setInterval(again, DAY_MS)
  const endHearing = bus.subscribe('settings.changed', ({ keys }) => {
    if (keys.includes(SETTING)) again()
  })
  return () => {
    clearInterval(daily)
    endHearing()
    return pruning
  }
}
