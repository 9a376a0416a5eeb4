// The tunnels of the host in the background: compared with what is stored, and reapplied where the operator wants that
// (decisions.md, S15).
import type { LastPass, Noticed } from '@panel/shared/api/reconcile.ts'
import { DriftWatch, type DriftSource, type Pass, type StatusChange } from '../../change/drift.ts'
import { settle } from '../../change/engine.ts'
import { makeRemediation, type RemediationDeps, type Watched } from '../../change/remediate.ts'
import { keepComparing, type Schedule, type ScheduleDeps } from '../../change/schedule.ts'
import type { CommandContext } from '../../platform/context.ts'
import { reapplyByItself } from '../tunnels/life.ts'
import { tunnelResource } from '../tunnels/resource.ts'
import { pendingTunnels } from '../tunnels/store.ts'
import { compareAll, countsOf, type Item } from './report.ts'

/** A tunnel of the host, or one that is stored; under the name of its interface. */
interface Tunnel extends Item {
  readonly key: string
  readonly is_self_heal: boolean | null
}

export type TunnelWatch = DriftWatch<string, Tunnel>

export function makeTunnelWatch(deps: RemediationDeps): TunnelWatch {
  const { remediate, dueIn } = makeRemediation<Watched>(deps, {
    noun: 'tunnel',
    action: 'TunnelReapply',
    together: (items) => items.map((one) => [one]),
    describe: ([tunnel]) => `the tunnel was ${tunnel?.status ?? 'not as stored'}`,
    reapply: async (context, ids) => {
      for (const id of ids) await reapplyByItself(context, id)
    },
  })
  const source: DriftSource<string, Tunnel, never> = {
    noun: 'tunnels',
    look: async () => ({ items: await lookAtAll(deps), scope: 'all' }),
    isExpected: ({ status }) => status === 'InSync',
    publish: (pass) => deps.publish('reconcile.changed', passView(pass)),
    publishFirst: (changes) => deps.publish('reconcile.first', { changed: changesView(changes) }),
    remediate: (items) => remediate(items.flatMap(managedTunnel)),
    dueIn,
  }
  return new DriftWatch(deps, source, deps.logger)
}

/** Returns the function that ends it. */
export const keepWatchingTunnels = (
  watch: Pick<TunnelWatch, 'pass' | 'hint'> & Partial<Pick<TunnelWatch, 'dueIn' | 'isUrgent'>>,
  deps: ScheduleDeps,
): (() => Promise<void>) => keepComparing(watch, { ...deps, subscribe })

/** Changes of the ruleset too: tunnels that are answered through have a table of their own. */
const subscribe: Schedule<never>['subscribe'] = (bus, prompt) => [
  bus.subscribe('host.changed', () => prompt('event')),
  ...(['tunnel.created', 'tunnel.updated', 'tunnel.deleted', 'heal.reset'] as const).map((name) =>
    bus.subscribe(name, () => prompt('change')),
  ),
]

async function lookAtAll(context: Omit<CommandContext, 'note'> & Pick<RemediationDeps, 'record'>): Promise<Tunnel[]> {
  const { items, heals } = await compareAll(context)
  const inSync = new Set(items.filter(({ status }) => status === 'InSync').map(({ tunnel_id }) => tunnel_id))
  const pending = await pendingTunnels(context.db)
  await settle(context, tunnelResource(context), pending, ({ tunnel_id }) => inSync.has(tunnel_id))
  return items
    .filter(({ is_ignored }) => !is_ignored)
    .map((item) => ({ ...item, key: item.interface_name, is_self_heal: heals.get(item.interface_name) ?? null }))
}

const managedTunnel = ({ tunnel_id, status, is_self_heal }: Tunnel): Watched[] =>
  tunnel_id === null
    ? []
    : [{ id: tunnel_id, status, is_self_heal, isDrifted: status === 'Drifted' || status === 'Missing' }]

export function passView({ at, because, items, changes }: Pass<Tunnel>): LastPass {
  return { at, because, counts: countsOf(items), changed: changesView(changes) }
}

const changesView = (changes: readonly StatusChange<Tunnel>[]): LastPass['changed'] =>
  changes.flatMap(({ from, to }) => {
    const { interface_name, tunnel_id } = to ?? from ?? {}
    if (interface_name === undefined || tunnel_id === undefined) return []
    return [{ interface_name, tunnel_id, from: from?.status ?? null, to: to?.status ?? null }]
  })

export const noticedIn = (watch: TunnelWatch, { interface_name, status }: Item): Noticed | null =>
  watch.noticed({ key: interface_name, status })
