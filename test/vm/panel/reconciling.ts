// The comparison of host and store as a test asks for it, and an event listener beside it.
import assert from 'node:assert/strict'
import type { AdoptAnswer, ReconcileAnswer, ReconcileItem } from '@panel/shared/api/reconcile.ts'
import type { Server } from '../lab/index.ts'
import { expect, type Panel, type Place } from './panel.ts'

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
  return { report, itemOf, adopt, indexOf }
}

/** Says what `ip monitor` heard while the work went on; that it listens is proven before and after. */
export async function heardWhile(server: Server, work: () => Promise<unknown>): Promise<string> {
  const monitor = server.spawn('ip', ['-o', 'monitor', 'link', 'address', 'route'])
  const ring = async (mtu: number): Promise<string> => {
    for (let tries = 0; tries < 50; tries += 1) {
      await server.run('ip', ['link', 'set', 'dev', 'lo', 'mtu', `${mtu + (tries % 2)}`])
      if (/ lo: /.test(monitor.text('stdout').slice(before))) return monitor.text('stdout')
    }
    throw new Error('ip monitor hears nothing')
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
