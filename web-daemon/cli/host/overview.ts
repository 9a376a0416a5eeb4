// What the web daemon says of itself, of each tunnel and of each relay rule, for the status: read as the owner, whose
// signing key it takes, and passed on to root as JSON.
import type { MonitorSummaryAnswer } from '@panel/shared/api/monitor.ts'
import type { ListRoutesAnswer } from '@panel/shared/api/routes/answers.ts'
import { routeShown, tunnelShown, type Shown } from '@panel/shared/api/states.ts'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import type { ListTunnelsAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { Config } from '../../app/config.ts'
import { KeyUnusableError } from '../../features/auth/key.ts'
import { onThisHost } from '../api/run.ts'
import { send, type Target } from '../api/send.ts'
import { CommandError } from '../errors.ts'
import { readHealth } from '../health.ts'
import { printText } from '../print.ts'

export interface OverviewItem extends Shown {
  readonly id: number
  readonly name: string
}

export interface Overview {
  /** Null where the panel does not answer. */
  readonly health: HealthAnswer | null
  /** Null where they are not known. */
  readonly tunnels: readonly OverviewItem[] | null
  readonly routes: readonly OverviewItem[] | null
  /** Why something is null; otherwise "". */
  readonly problem: string
}

export async function printOverview(config: Config): Promise<void> {
  printText(JSON.stringify(await readOverview(config)))
}

async function readOverview(config: Config): Promise<Overview> {
  let health: HealthAnswer | null = null
  try {
    health = await readHealth(config)
    const target = await onThisHost(config)
    return { health, tunnels: await readTunnels(target), routes: await readRoutes(target), problem: '' }
  } catch (failure) {
    if (!(failure instanceof CommandError || failure instanceof KeyUnusableError)) throw failure
    return { health, tunnels: null, routes: null, problem: failure.message }
  }
}

const get = (target: Target, path: string): Promise<unknown> => send(target, { method: 'GET', path, body: {} })

const PAGE = 1000

/** All pages of a list. */
async function readAll<A extends { readonly total: number }, T>(
  target: Target,
  path: string,
  itemsOf: (answer: A) => readonly T[],
): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const answer = (await get(target, `${path}?limit=${PAGE}&offset=${all.length}`)) as A
    const items = itemsOf(answer)
    all.push(...items)
    if (items.length === 0 || all.length >= answer.total) return all
  }
}

async function readTunnels(target: Target): Promise<OverviewItem[]> {
  const watched = ((await get(target, '/monitor/summary')) as MonitorSummaryAnswer).tunnels
  const byId = new Map(watched.map((one) => [one.tunnel_id, one]))
  const tunnels = await readAll(target, '/tunnels', (answer: ListTunnelsAnswer) => answer.tunnels)
  return tunnels.map((one) => ({
    id: one.tunnel_id,
    name: one.interface_name,
    ...tunnelShown(one, byId.get(one.tunnel_id) ?? null),
  }))
}

async function readRoutes(target: Target): Promise<OverviewItem[]> {
  const routes = await readAll(target, '/routes', (answer: ListRoutesAnswer) => answer.routes)
  return routes.map((one) => ({ id: one.route_rule_id, name: one.title, ...routeShown(one) }))
}
