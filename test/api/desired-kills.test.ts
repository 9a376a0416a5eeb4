// The web daemon is killed in the middle of a file or a restore: it is there as a whole afterwards, or not at all.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { MethodName } from '@panel/shared/rpc/methods.ts'
import type { Handlers } from '@panel/root-helper/handlers.ts'
import { repetitions } from '../support/counts.ts'
import { eventually } from '../support/eventually.ts'
import { quietly } from '../support/quietly.ts'
import type { Client } from './support/client.ts'
import { apply, exportFile, GAME, TUNNEL } from './support/desired.ts'
import { OPERATOR } from './support/panel.ts'
import { Processes } from './support/processes.ts'
import { lastRevision, restore } from './support/revisions.ts'
import { enableForwarding } from './support/routes.ts'

const other = {
  ...TUNNEL,
  interface_name: 'gre-ams-1',
  remote_endpoint: '198.51.100.10',
  addresses: [],
  ikey: 1,
  okey: 1,
}
const rule = (number: number, more: object = {}): object => ({
  ...GAME,
  route_rule_title: `rule ${number}`,
  bind_port: 1000 + number,
  ...more,
})
const FIRST = { tunnels: [TUNNEL, other], routes: [1, 2, 3, 4].map((number) => rule(number)) }
/** Each kind of step, of one object and of many together. */
const SECOND = {
  settings: { 'monitor.interval_seconds': 2 },
  pools: [{ address_pool_title: 'lab', cidr: '10.77.0.0/16' }],
  tunnels: [
    { ...TUNNEL, mtu: 1400 },
    { ...other, interface_name: 'gre-par-1' },
  ],
  routes: [rule(1, { bind_port: 2000 }), rule(4), rule(5), rule(6), rule(7)],
}

/** What a whole asks of root; the watches ask for more beside it. */
const COUNTED = /^(window\.(open|confirm)|\w+\.apply)$/

describe('A web daemon that is killed in the middle of', function () {
  quietly()
  let processes: Processes
  let client: Client
  let [first_id, second_id] = [0, 0]
  /** What root was to do, while it is looked at. */
  let received: MethodName[] = []
  let underWay = 0
  /** The daemon is killed when root has received this many. */
  let last = Number.POSITIVE_INFINITY

  const around = (handlers: Handlers): Handlers =>
    Object.fromEntries(
      Object.entries(handlers).map(([name, handle]) => [
        name,
        !COUNTED.test(name)
          ? handle
          : async (params: never) => {
              underWay += 1
              if (received.push(name as MethodName) === last) await processes.kill()
              return (handle as (params: never) => Promise<unknown>)(params).finally(() => (underWay -= 1))
            },
      ]),
    ) as unknown as Handlers

  before(async () => {
    processes = new Processes(around)
    await processes.open()
    client = await processes.start()
    await client.post('/auth/setup', OPERATOR)
    assert.equal((await enableForwarding(client)).status, 200)
    await become(FIRST)
    first_id = (await lastRevision(client)).revision_id
    await become(SECOND)
    second_id = (await lastRevision(client)).revision_id
  })
  after(() => processes.close())

  const become = async (document: object): Promise<void> => {
    const { status, text } = await apply(client, document, { prune: 'all' })
    assert.equal(status, 200, text)
  }
  const goTo = async (revision_id: number): Promise<void> => {
    const { status, text } = await restore(client, revision_id)
    assert.equal(status, 200, text)
  }
  const file = async (): Promise<object> => (await exportFile(client)).document
  const host = (): string => processes.kernel.picture()
  /** How the host compares with the store. */
  const statuses = async (): Promise<string[]> => {
    const { items, routes } = (await client.get<ReconcileAnswer>('/reconcile')).body
    return [...new Set([...items, ...routes].map(({ status }) => status))]
  }
  /** The time of the window does not pass. */
  const startAgain = async (): Promise<void> => {
    await eventually(() => underWay === 0)
    client = await processes.start(client)
    await eventually(() => isDeepStrictEqual(processes.windows.probe(), { window: null, ended: null }))
  }

  for (const [name, go] of [
    ['a file', async () => become(SECOND)],
    ['a restore', async () => goTo(second_id)],
  ] as const)
    it(`${name} has changed nothing, or everything if root has got the confirmation`, async () => {
      await goTo(first_id)
      received = []
      await go()
      const all = [...received]
      assert.deepEqual([all[0], all.at(-1)], ['window.open', 'window.confirm'])
      const wanted = await file()
      for (const at of someOf(all.length)) {
        await goTo(first_id)
        const before = [await file(), host()]
        received = []
        last = at
        await assert.rejects(go)
        last = Number.POSITIVE_INFINITY
        await startAgain()
        const killed = `killed at request ${at}, ${all[at - 1]}`
        assert.deepEqual(await statuses(), ['InSync'], killed)
        assert.deepEqual(received.slice(0, at), all.slice(0, at))
        if (at === all.length) assert.deepEqual(await file(), wanted)
        else assert.deepEqual([await file(), host()], before, killed)
      }
    })
})

/** The last one, and as many before it as there are to be, evenly. */
function someOf(count: number): number[] {
  const wanted = Math.min(count, repetitions('PANEL_WHOLE_KILLS'))
  return Array.from({ length: wanted }, (_, at) => Math.ceil(((at + 1) * count) / wanted))
}
