// When the panel looks at the health of rules by itself: as it starts, soon after something that bears on it, and from time to time (decisions.md, S15).
import type { Logger } from 'pino'
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { Bus } from '../../../platform/events/bus.ts'
import { Passes, SOON } from '../../../platform/events/passes.ts'
import type { SettingsReader } from '../../../platform/settings.ts'
import type { Hint, RouteWatch } from './watch.ts'

/** What no event told of is found at this pace. */
const INTERVAL = 'system.reconcile_interval_seconds'
/** Where somebody changes netfilter all the time, looking takes a tenth of the time at most. */
const REST_FACTOR = 9

interface Parts {
  readonly watch: RouteWatch
  readonly bus: Bus
  readonly settings: SettingsReader
  readonly logger: Logger
}

/** Returns the function that ends it, and resolves when no look is under way any more. */
export function keepWatchingRoutes({ watch, bus, settings, logger }: Parts): () => Promise<void> {
  let restedAt = 0
  const rest = (): number => restedAt - performance.now()
  const look = async (): Promise<void> => {
    const began = performance.now()
    await watch.look()
    const took = performance.now() - began
    restedAt = began + took * (1 + REST_FACTOR)
  }
  const times = {
    get quiet_ms() {
      return Math.max(SOON.quiet_ms, rest())
    },
    get latest_ms() {
      return Math.max(SOON.latest_ms, rest())
    },
    period_ms: () => settings.get(INTERVAL) * 1000,
  }
  const passes = new Passes(look, times, logger)
  const hear = (hint: Hint, because: 'event' | 'change'): void => {
    watch.hear(hint)
    passes.request(because)
  }
  const hearing = [
    bus.subscribe('host.changed', ({ events }) => hintsOf(events).forEach((hint) => hear(hint, 'event'))),
    bus.subscribe('routes.changed', ({ route_rule_ids }) => hear(route_rule_ids, 'change')),
    ...(['tunnel.created', 'tunnel.updated', 'tunnel.deleted'] as const).map((name) =>
      bus.subscribe(name, () => hear('tunnels', 'change')),
    ),
    bus.subscribe('settings.changed', ({ keys }) => {
      if (keys.includes(INTERVAL)) passes.retime()
    }),
  ]
  watch.hear('all')
  passes.start()
  return () => {
    for (const end of hearing) end()
    return passes.close()
  }
}

function hintsOf(events: readonly HostEvent[]): Hint[] {
  const subjects = new Set(events.map(({ subject }) => subject))
  if (subjects.has('lost') || subjects.has('ruleset')) return ['all']
  return subjects.has('link') ? ['tunnels'] : []
}
