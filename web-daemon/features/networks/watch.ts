// The networks in the background: compared with what root keeps, so that what is pending is settled (decisions.md, S1).
// Root itself puts a network in again with every link and address (T43), so nothing is reapplied from here.
import type { Logger } from 'pino'
import { DriftWatch, type DriftSource } from '../../change/drift.ts'
import { settle } from '../../change/engine.ts'
import type { Recorder } from '../../change/remediate.ts'
import { REST_FACTOR } from '../../change/rest.ts'
import { keepComparing, type Schedule, type ScheduleDeps } from '../../change/schedule.ts'
import type { CommandContext } from '../../platform/context.ts'
import { compareAll, type Compared } from './findings.ts'
import { networkRecords } from './resource.ts'
import { pendingNetworks } from './store.ts'

interface Network extends Compared {
  /** The destination. */
  readonly key: string
}

export type NetworkWatch = DriftWatch<string, Network>

interface WatchDeps extends Omit<CommandContext, 'note'> {
  readonly record: Recorder
  readonly logger: Logger
}

export function makeNetworkWatch(deps: WatchDeps): NetworkWatch {
  const source: DriftSource<string, Network, never> = {
    noun: 'networks',
    look: async () => ({ items: await lookAtAll(deps), scope: 'all' }),
    isExpected: ({ status }) => status === 'InSync',
    // What changes is in the log, and GET /reconcile looks for itself.
    publish: () => undefined,
    publishFirst: () => undefined,
    remediate: () => Promise.resolve(),
  }
  return new DriftWatch(deps, source, deps.logger)
}

/** Returns the function that ends it. */
export const keepWatchingNetworks = (watch: Pick<NetworkWatch, 'pass' | 'hint'>, deps: ScheduleDeps) =>
  keepComparing(watch, { ...deps, subscribe, rest_factor: REST_FACTOR })

const subscribe: Schedule<never>['subscribe'] = (bus, prompt) => [
  bus.subscribe('host.changed', () => prompt('event')),
  ...(['networks.changed', 'tunnel.updated'] as const).map((name) => bus.subscribe(name, () => prompt('change'))),
]

async function lookAtAll(context: WatchDeps): Promise<Network[]> {
  const items = await compareAll(context)
  const inSync = new Set(
    items.flatMap(({ status, record }) => (status === 'InSync' && record ? record.network_id : [])),
  )
  const pending = await pendingNetworks(context.db)
  await settle(context, networkRecords(context), pending, ({ network_id }) => inSync.has(network_id))
  return items.map((item) => ({ ...item, key: item.destination }))
}
