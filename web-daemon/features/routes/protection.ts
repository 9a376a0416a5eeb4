// Has root protect the relay rules from other programs, or no longer, as the setting says (decisions.md, F31). Root
// remembers it; it gets the request again whenever it is back, since the setting may have changed while it was away.
import type { Logger } from 'pino'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { SettingsReader } from '../../platform/settings.ts'

const SETTING = 'system.ruleset_protection'

interface ProtectionDeps {
  readonly bus: Bus
  readonly settings: SettingsReader
  readonly request: Writer
  readonly logger: Logger
}

export function keepProtecting({ bus, settings, request, logger }: ProtectionDeps): void {
  const protect = async (): Promise<void> => {
    try {
      const { how, detail } = await request('ruleset.protect', { wanted: settings.get(SETTING) === 'auto' })
      logger.info({ how, detail }, 'protection of the relay rules')
    } catch (refused) {
      if (!(refused instanceof Refusal)) throw refused
      logger.warn({ detail: refused.message }, 'the protection of the relay rules is as it was')
    }
  }
  const start = (): void => void protect().catch((err: unknown) => logger.error({ err }, 'a failure nobody foresaw'))
  bus.subscribe('host.changed', ({ events }) => {
    if (events.some(({ subject }) => subject === 'lost')) start()
  })
  bus.subscribe('settings.changed', ({ keys }) => {
    if (keys.includes(SETTING)) start()
  })
}
