// Why a relay rule does not relay, with real packets: each cause is there while it is, in the rule's health, in its
// analysis, as an incident and in the plan of a change, and gone once it is.
import assert from 'node:assert/strict'
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import type { AttentionAnswer } from '@panel/shared/api/incidents.ts'
import type {
  ChangeRouteAnswer,
  PreviewRouteAnswer,
  RouteHealthView,
  RouteItem,
} from '@panel/shared/api/routes/answers.ts'
import type { CauseCode } from '@panel/shared/api/routes/cause-codes.ts'
import type { Cause } from '@panel/shared/api/routes/causes.ts'
import { becomes, eventually } from '../support/eventually.ts'
import {
  BEYOND,
  CASES,
  CLEANING,
  PORT,
  relay,
  setting,
  SHOWN_BY_PACKETS,
  tcp,
  TUNNEL,
  tunnelTo,
  type Case,
  type Patch,
} from './relay-causes-cases.ts'
import { CLIENT, RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const BOTH = 30

describe('A relay rule that relays nothing', function () {
  const rig = new RelayRig()
  let panel: ReturnType<RelayRig['panel']>
  before(async () => {
    await rig.open()
    rig.servers.batch(`addr add ${BEYOND}/32 dev lo`)
    await Promise.all(
      [ONE, TWO, BEYOND].map((address) => rig.servers.calls.listen({ protocol: 'tcp', address, port: 80 })),
    )
    panel = rig.panel()
    await panel.watch()
    await panel.tunnel(TUNNEL)
  })
  afterEach(() => {
    for (const line of CLEANING) rig.relay.run('sh', ['-c', `${line} 2>/dev/null || true`])
  })
  after(() => rig.close())

  async function api<B>(method: string, path: string, body?: unknown): Promise<B> {
    const reply = await panel.request(method, path, body)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as B
  }
  const health = async (id: number): Promise<RouteHealthView> => (await api<RouteItem>('GET', `/routes/${id}`)).health
  /** A preview goes by what the background has read. */
  const untilForeseen = (body: object, codes: readonly CauseCode[]): Promise<readonly CauseCode[]> =>
    becomes(
      async () => (await api<PreviewRouteAnswer>('POST', '/routes/preview', body)).plan.causes.map(({ code }) => code),
      (found) => found.join() === codes.join(),
      (found) => `a preview says ${codes.join()}, not ${found.join()}`,
    )
  const incidents = async () => (await api<AttentionAnswer>('GET', '/reconcile/attention')).incidents
  const talks = async ({ at = tcp(RELAY), isFar }: Case): Promise<boolean> =>
    (await (isFar ? rig.servers : rig.client).calls.talk(at)) !== null

  /** What only may stop packets is no incident. */
  async function isReported(id: number, { effect, detail, remedies }: Cause): Promise<void> {
    const { verdict, confidence, suggested_fix } = await api<RouteAnalysis>('POST', `/routes/${id}/diagnostics/analyze`)
    if (effect === 'may_stop') return assert.equal(confidence, 'low')
    assert.notEqual(verdict, 'HEALTHY')
    assert.ok(suggested_fix.length > 0)
    await eventually(async () => (await incidents()).length > 0, 'it is an incident')
    const [incident = assert.fail(), ...others] = await incidents()
    assert.deepEqual([others, incident.reason], [[], detail])
    assert.equal(incident.state, effect === 'stops' ? 'down' : 'degraded')
    assert.deepEqual(incident.remedies, remedies)
  }

  for (const one of CASES)
    it(`says why: ${one.title}`, async () => {
      one.before?.(rig)
      const body = { bind_address: RELAY, bind_port: PORT, destination_address: ONE, destination_port: 80, ...one.rule }
      const { route } = await api<ChangeRouteAnswer>('POST', '/routes', body)
      const id = route.route_rule_id
      const { effect: wanted = 'stops' } = one
      const patch: Patch = (fields) => api('PATCH', `/routes/${id}`, fields)
      try {
        if (one.at) assert.equal(await talks(one), true, 'it relays before')
        assert.deepEqual((await health(id)).causes, [])
        await one.happens(rig, patch)
        if (one.at) assert.equal(await talks(one), false, 'it relays no more')
        // What packets alone show takes some.
        await eventually(async () => {
          if (one.at && SHOWN_BY_PACKETS.includes(one.code)) await talks(one)
          await panel.sample()
          await panel.count()
          return (await health(id)).causes.some(({ code, effect }) => code === one.code && effect === wanted)
        }, `${one.code} is found`)
        const { causes, state } = await health(id)
        assert.deepEqual(
          causes.map(({ code, effect }) => [code, effect]),
          [[one.code, wanted]],
        )
        assert.equal(state, wanted === 'may_stop' ? 'healthy' : 'impaired')
        const isShown = SHOWN_BY_PACKETS.includes(one.code)
        if (one.code !== 'REVERSE_PATH') await untilForeseen({ ...body, route_rule_id: id }, isShown ? [] : [one.code])
        await isReported(id, causes[0] ?? assert.fail())
        // The rule can be changed although it relays nothing.
        await patch({ is_clamp_mss_to_pmtu: false })
        if (one.mends === 'commands')
          for (const line of causes.flatMap(({ remedies }) => remedies.flatMap(({ commands }) => commands)))
            rig.relay.run('sh', ['-c', line])
        else await one.mends(rig, patch)
        if (one.at) await eventually(() => talks(one), 'it relays again')
        await eventually(async () => {
          await panel.sample()
          await panel.count()
          return (await health(id)).severity === 'ok' && (await incidents()).length === 0
        }, 'the cause and the incident are gone')
        const left = (await health(id)).causes.filter(({ code, effect }) => code === one.code || effect !== 'may_stop')
        assert.deepEqual(left, [])
      } finally {
        await api('DELETE', `/routes/${id}`)
      }
    })

  it('is not foreseen where the plan turns forwarding on, and relays then', async () => {
    const body = { bind_address: RELAY, bind_port: PORT, destination_address: ONE, destination_port: 80 }
    setting(rig, 'net.ipv4.ip_forward=0')
    try {
      await untilForeseen(body, [])
      await api('PUT', '/settings', { 'routes.auto_enable_ip_forward': false })
      await untilForeseen(body, ['FORWARDING_OFF'])
      await api('PUT', '/settings', { 'routes.auto_enable_ip_forward': true })
      const { plan, route } = await api<ChangeRouteAnswer>('POST', '/routes', body)
      assert.deepEqual(plan.causes, [])
      assert.notEqual(await rig.client.calls.talk(tcp(RELAY)), null)
      await api('DELETE', `/routes/${route.route_rule_id}`)
    } finally {
      setting(rig, 'net.ipv4.ip_forward=1')
    }
  })

  it('is only degraded by what drops the packets of one destination, of one protocol, or of a backup', async () => {
    const to = (...addresses: string[]) => ({ destinations: addresses.map((address) => ({ address, port: 80 })) })
    const backup = {
      destinations: [
        { address: ONE, port: 80 },
        { address: TWO, port: 80, is_backup: true },
      ],
    }
    const inForward = (rule: string): string => `type filter hook forward priority 0; ${rule}`
    const dropTwo = inForward(`ip daddr ${TWO} drop`)
    const untracked = `type filter hook prerouting priority raw; ip saddr ${TWO} notrack`
    const cases = [
      [to(ONE, TWO), dropTwo, 'FOREIGN_DROP', 'degrades', [ONE]],
      [to(TWO), dropTwo, 'FOREIGN_DROP', 'stops', []],
      [{ ...to(ONE), route_protocol_id: BOTH }, inForward('meta l4proto udp drop'), 'FOREIGN_DROP', 'degrades', [ONE]],
      [backup, dropTwo, 'FOREIGN_DROP', 'note', [ONE]],
      [to(ONE, TWO), untracked, 'NOT_TRACKED', 'degrades', [ONE]],
      [to(TWO), untracked, 'NOT_TRACKED', 'stops', []],
    ] as const
    for (const [fields, chain, code, effect, served] of cases) {
      const body = { bind_address: RELAY, bind_port: PORT, ...fields }
      const { route } = await api<ChangeRouteAnswer>('POST', '/routes', body)
      rig.relay.nft(`table inet theirs { chain theirs { ${chain}\n }\n}\n`)
      try {
        const { causes } = await health(route.route_rule_id)
        assert.deepEqual(
          causes.map((one) => [one.code, one.effect]),
          [[code, effect]],
        )
        const talks = await Promise.all(Array.from({ length: 4 }, () => rig.client.calls.talk(tcp(RELAY))))
        assert.deepEqual([...new Set(talks.flatMap((talk) => talk?.server.split(' ')[0] ?? []))], served)
        for (const { remedies } of causes)
          for (const line of remedies.flatMap(({ commands }) => commands)) rig.relay.run('sh', ['-c', line])
        assert.deepEqual((await health(route.route_rule_id)).causes, [])
      } finally {
        await api('DELETE', `/routes/${route.route_rule_id}`)
        rig.relay.run('nft', ['delete', 'table', 'inet', 'theirs'])
      }
    }
  })

  it('is in no doubt for the route that a look-up finds once packets take another one by a routing policy', async () => {
    tunnelTo(rig)
    relay(rig, 'route', 'add', 'default', 'via', CLIENT)
    relay(rig, 'route', 'add', 'default', 'dev', TUNNEL, 'table', '100')
    const body = {
      bind_address: RELAY,
      bind_port: PORT,
      destination_address: BEYOND,
      destination_port: 80,
      tunnel_id: 1,
    }
    const { route } = await api<ChangeRouteAnswer>('POST', '/routes', body)
    const found = async () => {
      const { severity, causes } = await health(route.route_rule_id)
      return [severity, ...causes.map(({ code, effect }) => `${code} ${effect}`)]
    }
    try {
      assert.deepEqual(await found(), ['unknown', 'ROUTE_CHANGED may_stop'])
      relay(rig, 'rule', 'add', 'iif', 'near0', 'lookup', '100')
      await rig.client.calls.hold('policy', tcp(RELAY))
      await eventually(async () => {
        await panel.count()
        await rig.client.calls.talk(tcp(RELAY))
        await panel.sample()
        return (await found())[0] === 'ok'
      }, 'what flows proves it')
      assert.deepEqual(await found(), ['ok', 'ROUTE_CHANGED may_stop'])
    } finally {
      await rig.client.calls.release()
      await api('DELETE', `/routes/${route.route_rule_id}`)
    }
  })
})
