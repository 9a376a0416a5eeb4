// When the panel looks at the whole host: as it starts, soon after the host or a record has changed, and from time to time in case an event was lost (decisions.md, S15).
import type { Logger } from 'pino'
import type { Bus } from '../../platform/events/bus.ts'
import { Passes, SOON } from '../../platform/events/passes.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import type { Watch } from './pass.ts'

const INTERVAL = 'system.reconcile_interval_seconds'

interface Parts {
  readonly watch: Watch
  readonly bus: Bus
  readonly settings: SettingsReader
  readonly logger: Logger
}

/** Returns the function that ends it, and resolves when no pass is under way any more. */
export function keepWatching({ watch, bus, settings, logger }: Parts): () => Promise<void> {
  const passes = new Passes(watch.pass, { ...SOON, period_ms: () => settings.get(INTERVAL) * 1000 }, logger)
  const hearing = [
    // Of the ruleset the relay rules hear for themselves.
    bus.subscribe(
      'host.changed',
      ({ events }) => events.some(({ subject }) => subject !== 'ruleset') && passes.request('event'),
    ),
    ...(['tunnel.created', 'tunnel.updated', 'tunnel.deleted'] as const).map((name) =>
      bus.subscribe(name, () => passes.request('change')),
    ),
    bus.subscribe('settings.changed', ({ keys }) => {
      if (keys.includes(INTERVAL)) passes.retime()
    }),
  ]
  passes.start()
  return () => {
    for (const end of hearing) end()
    return passes.close()
  }
}
