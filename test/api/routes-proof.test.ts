// What proves that a rule relays, through HTTP: what flows, an analysis, and how long a proof lasts (decisions.md, S22).
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import type { AttentionAnswer } from '@panel/shared/api/incidents.ts'
import type { Proof } from '@panel/shared/api/routes/causes.ts'
import { readForeign } from '@panel/shared/foreign/read.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { Proofs } from '@panel/web-daemon/features/rule-health/proofs.ts'
import { judgeRules } from '@panel/web-daemon/features/rule-health/health.ts'
import { allRoutes } from '@panel/web-daemon/features/routes/store.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, getRoute, madeRoute, patchRoute } from './support/routes.ts'

const NEVER: Proof = { state: 'unproven', at: null, by: null }
/** A chain that drops what nothing lets through. */
const DROPPING = JSON.stringify({
  nftables: [
    {
      chain: {
        family: 'inet',
        table: 'filter',
        name: 'forward',
        type: 'filter',
        hook: 'forward',
        prio: 0,
        policy: 'drop',
      },
    },
  ],
})

describe('The proof that a rule relays', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await madeRoute(client)
  })
  afterEach(() => panel.close())

  const health = async () => (await getRoute(client, 1)).body.health
  const proof = async (): Promise<Proof> => (await health()).proof
  const attention = async (): Promise<AttentionAnswer> => {
    await panel.routeWatch.pass('event')
    return (await client.get<AttentionAnswer>('/reconcile/attention')).body
  }
  /** One reading of the counters, with what the kernel counts meanwhile. */
  const read = async (tx_packets = 0, rx_packets = 0): Promise<void> => {
    panel.kernel.rulesets.relay(1, { tx_packets, rx_packets, tx_bytes: tx_packets * 100, rx_bytes: rx_packets * 100 })
    panel.clock.advance(5)
    await panel.traffic.sample()
  }
  const carry = async (): Promise<void> => {
    panel.kernel.connections.open = [fakeConnection()]
    await panel.traffic.count()
    await read()
    await read(3, 3)
  }

  it('is none at first, what flows while it flows, and stays proven afterwards', async () => {
    assert.deepEqual(await proof(), NEVER)
    await carry()
    const found = await proof()
    assert.deepEqual([found.state, found.by], ['carrying', 'traffic'])
    assert.equal((await attention()).proof.carrying, 1)
    await read()
    assert.deepEqual(await proof(), { ...found, state: 'proven' })
    const { proof: counts } = await attention()
    assert.deepEqual([counts.carrying, counts.proven, counts.unproven, counts.oldest], [0, 1, 0, found.at])
  })

  it('is none where the destination refuses every connection, although packets go both ways', async () => {
    await read()
    await read(3, 3)
    assert.deepEqual(await proof(), NEVER)
  })

  it('is one-way, and down where it is TCP, once two readings have found nothing that comes back', async () => {
    await read()
    await read(3)
    assert.equal((await health()).severity, 'ok')
    await read(1)
    const { state, severity, causes, proof: found } = await health()
    assert.deepEqual([state, severity, found.state], ['impaired', 'down', 'one_way'])
    assert.deepEqual(
      causes.map(({ code, hop }) => [code, hop]),
      [['NO_REPLIES', 'destination']],
    )
    await read(1, 1)
    assert.equal((await health()).severity, 'ok')
  })

  it('is over with a change of the rule, and not with one of its title', async () => {
    await carry()
    assert.equal((await proof()).state, 'carrying')
    await patchRoute(client, 1, { route_rule_title: 'Another' })
    assert.equal((await proof()).state, 'proven')
    await patchRoute(client, 1, { destination_port: 81 })
    assert.deepEqual(await proof(), NEVER)
  })

  it('is over when the interface by which its packets leave is another one', async () => {
    await carry()
    await read()
    assert.equal((await proof()).state, 'proven')
    panel.kernel.hostInterfaces = panel.kernel.hostInterfaces.map((one) => ({ ...one, index: one.index + 10 }))
    assert.deepEqual(await proof(), NEVER)
  })

  it('is none of a rule that is disabled', async () => {
    await carry()
    await actOnRoute(client, 1, 'disable')
    assert.deepEqual(await proof(), NEVER)
  })

  it('is there for the next daemon, and removed from the store once it is over', async () => {
    await carry()
    const { at } = await proof()
    await panel.proofs.save()
    const next = async (): Promise<Proof | undefined> => {
      const logger = makeLogger({ write: () => undefined })
      const { evidence } = new (panel.traffic.constructor as new (deps: object) => typeof panel.traffic)({})
      const { db, clock, monitor } = panel
      const noticed = { evidence, names: { of: () => null }, monitored: monitor.tunnels }
      const proofs = new Proofs({ db, now: clock.now, ...noticed, logger })
      const request = requestThrough(inProcessHelper(panel.kernel).request)
      return (await judgeRules({ db: panel.db, request }, proofs, await allRoutes(panel.db)))[0]?.proof
    }
    assert.deepEqual(await next(), { state: 'proven', at, by: 'traffic' })
    await patchRoute(client, 1, { destination_port: 81 })
    await proof()
    await panel.proofs.save()
    assert.deepEqual(await next(), NEVER)
    assert.deepEqual(await panel.db.selectFrom('route_proof').selectAll().execute(), [])
  })

  it('comes of an analysis that finds nothing on the way', async () => {
    const server: Server = createServer((socket) => socket.end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await patchRoute(client, 1, { destination_address: '127.0.0.1', destination_port: port, force: true })
    await read(1, 1)
    await client.post('/routes/1/diagnostics/analyze')
    server.close()
    const { state, by } = await proof()
    assert.deepEqual([state, by], ['proven', 'analysis'])
  })

  it('is no reason to be calm where something stops the rule, and five rules behind one chain are one incident', async () => {
    for (let at = 1; at < 5; at += 1) await madeRoute(client, { bind_port: 9000 + at })
    await carry()
    panel.kernel.foreign = readForeign(DROPPING, '')
    panel.routeWatch.hint('all')
    const { incidents } = await attention()
    const [incident = assert.fail('There is no incident'), ...others] = incidents
    assert.deepEqual([others, incident.state, incident.affected_routes], [[], 'down', 5])
    assert.match(incident.reason, /^Table inet filter, chain forward, drops/)
    assert.match(incident.remedies[0]?.commands[0] ?? '', /^nft insert rule inet filter forward/)
    assert.equal((await health()).severity, 'down')
  })
})
