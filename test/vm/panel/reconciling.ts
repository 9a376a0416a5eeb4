// The comparison of host and store as a test asks for it, and an event listener beside it.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AdoptAnswer, ReconcileAnswer, ReconcileItem, PassReason } from '@panel/shared/api/reconcile.ts'
import { becomes } from '../eventually.ts'
import type { Server } from '../lab/index.ts'
import { expect, type Panel, type Place } from './panel.ts'

/** A pass follows what it is for by at most 1.2 s. */
const REST_MS = 2000

/** What the panel reports of host and store, and what it does about it. */
export const reconciling = (panel: Panel<Place>) => {
  const report = async (query = ''): Promise<ReconcileAnswer> =>
    expect(await panel.operator.get<ReconcileAnswer>(`/reconcile${query}`), 200)
  const itemOf = async (name: string): Promise<ReconcileItem> => {
    const { items } = await report()
    const item = items.find(({ interface_name }) => interface_name === name)
    assert.ok(item, `${name} is not among ${JSON.stringify(items)}`)
    return item
  }
  const adopt = async (body: object): Promise<AdoptAnswer> =>
    expect(await panel.operator.post<AdoptAnswer>('/reconcile/adopt', body), 201)
  const indexOf = async (name: string): Promise<string> =>
    (await panel.server.run('cat', [`/sys/class/net/${name}/ifindex`])).trim()
  /** Waits for a pass in the background to have seen the item so, and says what had started it. */
  const noticed = async (name: string, is: ReconcileItem['status']): Promise<PassReason> => {
    const isSeen = ({ status, noticed: seen }: ReconcileItem): boolean => status === is && seen !== null
    const item = await becomes(() => itemOf(name), isSeen, `a pass sees ${name} as ${is}`)
    return (item.noticed ?? assert.fail()).because
  }
  /** Waits until no pass is due any more: what is done by hand then is noticed by a pass of its own. */
  const atRest = async (): Promise<void> => {
    let last = (await report()).last_pass?.at
    for (let since = Date.now(); Date.now() - since < REST_MS; await sleep(100)) {
      const { last_pass } = await report()
      if (last_pass?.at !== last) since = Date.now()
      last = last_pass?.at
    }
  }
  return { report, itemOf, adopt, indexOf, noticed, atRest }
}

/** The output of `ip monitor` while the work went on; that it listens is proven before and after. */
export async function heardWhile(server: Server, work: () => Promise<unknown>): Promise<string> {
  const monitor = server.spawn('ip', ['-o', 'monitor', 'link', 'address', 'route'])
  const ring = async (mtu: number): Promise<string> => {
    let turns = 0
    const look = async (): Promise<string> => {
      await server.run('ip', ['link', 'set', 'dev', 'lo', 'mtu', `${mtu + (turns++ % 2)}`])
      return monitor.text('stdout')
    }
    return becomes(look, (text) => / lo: /.test(text.slice(before)), 'ip monitor reports lo')
  }
  let before = 0
  before = (await ring(60_000)).length
  await work()
  const after = await ring(61_000)
  monitor.kill('TERM')
  await monitor.exited
  return after
    .slice(before)
    .split('\n')
    .filter((line) => line !== '' && !/ lo[: ]/.test(line))
    .join('\n')
}
