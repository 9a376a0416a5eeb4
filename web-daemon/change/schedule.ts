// When the background compares the host with what is stored: at the start, soon after a hint, and from time to time in
// case a hint was lost (decisions.md, S15).
import type { Logger } from 'pino'
import type { PassReason } from '@panel/shared/api/reconcile.ts'
import type { Bus } from '../platform/events/bus.ts'
import { Passes, SOON } from '../platform/events/passes.ts'
import type { SettingsReader } from '../platform/settings.ts'
import type { DriftWatch, Observed } from './drift.ts'
import { Rest } from './rest.ts'

const INTERVAL = 'system.reconcile_interval_seconds'

/** Requests a pass. `hints` say what to look at; none stands for what the source looks at by itself. */
export type Prompt<Hint> = (because: 'event' | 'change', hints?: readonly Hint[]) => void

export interface ScheduleDeps {
  readonly bus: Bus
  readonly settings: SettingsReader
  readonly logger: Logger
}

export interface Schedule<Hint> extends ScheduleDeps {
  /** Subscribes to what concerns the noun; returns the functions that end that. */
  readonly subscribe: (bus: Bus, prompt: Prompt<Hint>) => (() => void)[]
  /** In the long run, so many times as long as looking takes is rested between them (rest.ts). */
  readonly rest_factor?: number
}

type Watch<Hint> = Pick<DriftWatch<never, Observed<never>, Hint>, 'pass' | 'hint'> &
  Partial<Pick<DriftWatch<never, Observed<never>, Hint>, 'dueIn' | 'isUrgent'>>

/** Returns the function that ends it, and resolves when no pass is under way any more. */
export function keepComparing<Hint>(
  watch: Watch<Hint>,
  { bus, settings, logger, subscribe, rest_factor = 0 }: Schedule<Hint>,
): () => Promise<void> {
  const rest = new Rest(rest_factor)
  const pass = async (because: PassReason): Promise<void> => {
    rest.looked(await watch.pass(because))
    passes.dueIn(watch.dueIn?.() ?? null)
  }
  const times = {
    get quiet_ms() {
      return Math.max(SOON.quiet_ms, rest.ms)
    },
    get latest_ms() {
      return Math.max(SOON.latest_ms, rest.ms)
    },
    period_ms: () => settings.get(INTERVAL) * 1000,
  }
  const passes = new Passes(pass, times, logger)
  const subscriptions = [
    ...subscribe(bus, (because, hints = []) => {
      for (const hint of hints) watch.hint(hint)
      passes.request(because)
      if (because === 'event')
        void watch.isUrgent?.(hints).then((isUrgent) => {
          if (isUrgent) passes.request('event', 'now')
        })
    }),
    bus.subscribe('settings.changed', ({ keys }) => {
      if (keys.includes(INTERVAL)) passes.retime()
    }),
  ]
  passes.start()
  return () => {
    for (const end of subscriptions) end()
    return passes.close()
  }
}
