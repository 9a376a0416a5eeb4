// A rotation under kill -9 of the web daemon's app, of the helper, or of both, at any moment: what is stored decides.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { ChangeRouteAnswer, RouteHealthEvent } from '@panel/shared/api/routes/answers.ts'
import type { RouteCheckAnswer } from '@panel/shared/api/routes/check.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import { eventually } from '../support/eventually.ts'
import { repetitions } from '../support/counts.ts'
import { RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const KILLS = repetitions('PANEL_ROTATION_KILLS')
const KILLED = ['the web daemon', 'the helper', 'both'] as const
const TWO = SERVERS[1]
const CHECK = { interval_ms: 500, timeout_ms: 300, fall: 1, rise: 1 }
const TCP_AND_UDP = 30
const TEN_MINUTES = 601
const isBad = ({ to }: RouteHealthEvent): boolean => to === 'failed' || to === 'inconsistent'
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('A rotation that is cut short by kill -9', function () {
  const rig = new RelayRig()
  let panel: ReturnType<RelayRig['panel']>
  let isUp = true
  let passed = 0

  const arrived = async (): Promise<void> => {
    panel = rig.panel({ isKept: true })
    await panel.advance(passed)
  }
  const started = async (): Promise<void> => {
    await arrived()
    await panel.watch()
    await panel.failover()
  }
  before(async () => {
    await rig.open()
    await rig.restartHelper()
    for (const address of SERVERS)
      for (const protocol of ['tcp', 'udp'] as const) await rig.servers.calls.listen({ protocol, address, port: 80 })
    await started()
    const destinations = SERVERS.map((address) => ({ address, port: 80 }))
    await api<ChangeRouteAnswer>('POST', '/routes', {
      bind_address: RELAY,
      bind_port: 1001,
      route_protocol_id: TCP_AND_UDP,
      destinations,
      check: CHECK,
    })
  })
  after(() => rig.close())

  async function api<B>(method: string, path: string, body?: unknown): Promise<B> {
    const reply = await panel.request(method, path, body)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as B
  }
  const stored = async (): Promise<string> =>
    (await api<RouteCheckAnswer>('GET', '/routes/1/check')).destinations.map(({ rotation }) => rotation).join()
  /** The states as they are stored, for which root is not needed. */
  const known = async (): Promise<string[]> =>
    (await api<{ destinations: { state: string }[] }>('GET', '/routes/1/destinations')).destinations.map(
      ({ state }) => state,
    )
  const held = async (): Promise<string> =>
    (await rig.held()).rules.flatMap(({ destinations }) => destinations.map(({ rotation }) => rotation)).join()
  const wanted = (): string => (isUp ? 'in,in,in' : 'in,out,in')
  /** Who answers each of six UDP flows, which are from the same ports as before in this turn. */
  const answers = async (turn: number): Promise<string[]> => {
    const place = { protocol: 'udp', address: RELAY, port: 1001 } as const
    const talks = [0, 1, 2, 3, 4, 5].map((n) => rig.client.calls.askOnFlow(`${turn} ${n}`, place))
    return (await Promise.all(talks)).map((talk) => talk?.server.split(' ')[0] ?? 'nobody')
  }

  async function isSettled(): Promise<boolean> {
    return (await stored()) === wanted() && (await held()) === wanted() && (await isInSync())
  }
  async function isInSync(): Promise<boolean> {
    const { routes } = await api<ReconcileAnswer>('GET', '/reconcile')
    return routes.every(({ status }) => status === 'InSync')
  }
  async function settle(): Promise<void> {
    let seen = ''
    await eventually(
      async () => {
        seen = `${wanted()} is wanted, ${await stored()} stored, ${await held()} held`
        return isSettled()
      },
      () => seen,
      { pause_ms: 50 },
    )
  }
  /** One that goes and comes too often in ten minutes is held out. Each app begins at the same time again. */
  const forgetFlaps = async (): Promise<void> => {
    passed += TEN_MINUTES
    await panel.advance(TEN_MINUTES)
  }
  const toggle = async (): Promise<void> => {
    isUp = !isUp
    const server = { protocol: 'tcp', address: TWO, port: 80 } as const
    await (isUp ? rig.servers.calls.listen(server) : rig.servers.calls.stopListening(server))
  }

  /** A flow of UDP that is not ended stays with its server, which still answers it. */
  async function untilAnswered(turn: number): Promise<void> {
    await eventually(
      async () => isUp || !(await answers(turn)).includes(TWO),
      'no flow of the destination that is down is left',
      { pause_ms: 50 },
    )
  }

  it('is carried out by the next look, with the end of its UDP flows, where it was stored and no more', async () => {
    await settle()
    await panel.healths()
    assert.equal((await answers(-1)).includes(TWO), true)
    await rig.killPanel()
    await arrived()
    await panel.failover()
    rig.stopHelper()
    await toggle()
    while (!(await known()).includes('down')) await pause(50)
    await rig.killPanel()
    await rig.restartHelper()
    await arrived()
    assert.deepEqual([await stored(), await held()], [wanted(), 'in,in,in'])
    assert.equal(await isInSync(), true)
    assert.equal((await answers(-1)).includes(TWO), true)
    await panel.watch()
    await panel.failover()
    await settle()
    await untilAnswered(-1)
    assert.deepEqual((await panel.healths()).filter(isBad), [])
  })

  for (let turn = 0; turn < KILLS; turn += 1)
    it(`ends as it is stored, without a report of drift: ${KILLED[turn % 3]}, turn ${turn + 1}`, async () => {
      await settle()
      await panel.healths()
      await forgetFlaps()
      assert.equal((await answers(turn)).includes(TWO), isUp)
      await toggle()
      await pause(randomInt(900))
      const killed = KILLED[turn % 3]
      if (killed !== 'the helper') await rig.killPanel()
      if (killed !== 'the web daemon') await rig.restartHelper()
      if (killed !== 'the helper') await started()
      await settle()
      await untilAnswered(turn)
      await rig.client.calls.release()
      assert.deepEqual((await panel.healths()).filter(isBad), [])
    })
})
