// Why a relay rule does not relay, with real packets: each cause is there while it is, in the rule's health, in its
// analysis, as an incident and in the plan of a change, and gone once it is.
import assert from 'node:assert/strict'
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import type { AttentionAnswer } from '@panel/shared/api/reconcile.ts'
import type {
  ChangeRouteAnswer,
  PreviewRouteAnswer,
  RouteHealthView,
  RouteItem,
} from '@panel/shared/api/routes/answers.ts'
import type { CauseCode } from '@panel/shared/api/routes/cause-codes.ts'
import { becomes, eventually } from '../support/eventually.ts'
import type { Place } from './relay-peer.ts'
import { CLIENT, RELAY, RELAY_FAR, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const PORT = 1001
const ABSENT = '203.0.113.99'
const [MASQUERADE, NO_NAT] = [10, 30]

type Patch = (fields: object) => Promise<unknown>

interface Case {
  readonly title: string
  readonly code: CauseCode
  /** What the rule has in the place of the usual. */
  readonly rule?: object
  /** The place at which a client tries it, if one does; `isFar`: from the network of the servers. */
  readonly at?: Place
  readonly isFar?: true
  readonly before?: (rig: RelayRig) => void
  readonly happens: (rig: RelayRig, patch: Patch) => unknown
  /** Run as it is if it is a command, and what the cause names otherwise. */
  readonly mends: 'commands' | ((rig: RelayRig, patch: Patch) => unknown)
}

const relay = (rig: RelayRig, ...words: string[]): string => rig.relay.run('ip', words)
const setting = (rig: RelayRig, text: string): string => rig.relay.run('sysctl', ['-qw', text])
const tcp = (address: string): Place => ({ protocol: 'tcp', address, port: PORT })

const SHOWN_BY_PACKETS: readonly CauseCode[] = ['NO_REPLIES', 'REPLIES_LEAVE_ELSEWHERE']

const CASES: readonly Case[] = [
  {
    title: 'the address that it listens on is taken from its interface',
    code: 'LISTENER_ABSENT',
    rule: { bind_address: ABSENT },
    before: (rig) => relay(rig, 'addr', 'add', `${ABSENT}/32`, 'dev', 'near0'),
    happens: (rig) => relay(rig, 'addr', 'del', `${ABSENT}/32`, 'dev', 'near0'),
    mends: (rig) => relay(rig, 'addr', 'add', `${ABSENT}/32`, 'dev', 'near0'),
  },
  {
    title: 'the interface that it is bound to is renamed',
    code: 'LISTENER_ABSENT',
    rule: { bind_interface: 'spare0' },
    before: (rig) => relay(rig, 'link', 'add', 'spare0', 'type', 'veth', 'peer', 'name', 'spare9'),
    happens: (rig) => relay(rig, 'link', 'set', 'spare0', 'name', 'spare1'),
    mends: (rig) => relay(rig, 'link', 'set', 'spare1', 'name', 'spare0'),
  },
  {
    title: 'the interface that it is bound to becomes the port of a bridge',
    code: 'LISTENER_ABSENT',
    rule: { bind_interface: 'spare0' },
    before: (rig) => rig.relay.batch('link add spare0 type veth peer name spare9', 'link add br7 type bridge'),
    happens: (rig) => relay(rig, 'link', 'set', 'spare0', 'master', 'br7'),
    mends: (rig) => relay(rig, 'link', 'set', 'spare0', 'nomaster'),
  },
  {
    title: 'forwarding is turned off on the interface by which its packets come in',
    code: 'FORWARDING_OFF',
    at: tcp(RELAY),
    happens: (rig) => setting(rig, 'net.ipv4.conf.near0.forwarding=0'),
    mends: 'commands',
  },
  {
    title: 'forwarding is turned off on the interface by which the replies come in',
    code: 'FORWARDING_OFF',
    at: tcp(RELAY),
    happens: (rig) => setting(rig, 'net.ipv4.conf.far0.forwarding=0'),
    mends: 'commands',
  },
  {
    title: 'the route to its destination becomes unreachable',
    code: 'NO_ROUTE',
    at: tcp(RELAY),
    happens: (rig) => relay(rig, 'route', 'add', 'unreachable', `${ONE}/32`),
    mends: (rig) => relay(rig, 'route', 'del', 'unreachable', `${ONE}/32`),
  },
  {
    title: 'the destination has no route back to the clients, and the rule does not masquerade',
    code: 'NO_REPLIES',
    rule: { nat_mode_id: NO_NAT },
    at: tcp(RELAY),
    happens: (rig) => rig.servers.run('ip', ['route', 'del', 'default']),
    mends: (rig) => rig.servers.run('ip', ['route', 'add', 'default', 'via', RELAY_FAR]),
  },
  {
    title: 'the destination filters what comes from this server',
    code: 'NO_REPLIES',
    at: tcp(RELAY),
    happens: (rig) =>
      rig.servers.nft(
        'table inet theirs { chain input { type filter hook input priority 0; tcp dport 80 drop\n }\n}\n',
      ),
    mends: (rig) => rig.servers.run('nft', ['delete', 'table', 'inet', 'theirs']),
  },
  {
    title: 'the replies to its clients leave by another interface than their packets came in by',
    code: 'REPLIES_LEAVE_ELSEWHERE',
    at: tcp(RELAY),
    happens: (rig) => relay(rig, 'route', 'add', `${CLIENT}/32`, 'via', TWO),
    mends: (rig) => relay(rig, 'route', 'del', `${CLIENT}/32`),
  },
  {
    title: 'a client in the network of the destination gets its replies past this server',
    code: 'NO_REPLIES',
    rule: { bind_address: RELAY_FAR },
    at: tcp(RELAY_FAR),
    isFar: true,
    happens: (_, patch) => patch({ nat_mode_id: NO_NAT }),
    mends: (_, patch) => patch({ nat_mode_id: MASQUERADE }),
  },
  {
    title: 'a rule of other software keeps its port from being tracked',
    code: 'NOT_TRACKED',
    at: tcp(RELAY),
    happens: (rig) =>
      rig.relay.nft(
        `table ip theirs { chain pre { type filter hook prerouting priority raw; tcp dport ${PORT} notrack\n }\n}\n`,
      ),
    mends: 'commands',
  },
  {
    title: 'a chain against bogus sources drops the replies of a private destination',
    code: 'FOREIGN_DROP',
    at: tcp(RELAY),
    happens: (rig) =>
      rig.relay.nft(
        'table ip theirs { chain pre { type filter hook prerouting priority mangle; ip saddr 10.9.0.0/16 iifname != "lo" drop\n }\n}\n',
      ),
    mends: 'commands',
  },
  {
    title: 'a hand-written firewall lets only established connections be forwarded',
    code: 'FOREIGN_DROP',
    at: tcp(RELAY),
    happens: (rig) =>
      rig.relay.nft(
        'table inet theirs { chain forward { type filter hook forward priority filter; policy drop; ct state vmap { established : accept, related : accept, invalid : drop }\n }\n}\n',
      ),
    mends: 'commands',
  },
  {
    title: 'a chain of other software drops what is forwarded',
    code: 'FOREIGN_DROP',
    at: tcp(RELAY),
    happens: (rig) =>
      rig.relay.nft('table inet theirs { chain forward { type filter hook forward priority 0; policy drop;\n }\n}\n'),
    mends: 'commands',
  },
]

describe('A relay rule that relays nothing', function () {
  const rig = new RelayRig()
  let panel: ReturnType<RelayRig['panel']>
  before(async () => {
    await rig.open()
    await Promise.all([ONE, TWO].map((address) => rig.servers.calls.listen({ protocol: 'tcp', address, port: 80 })))
    panel = rig.panel()
    await panel.watch()
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

  for (const one of CASES)
    it(`says why: ${one.title}`, async () => {
      one.before?.(rig)
      const body = { bind_address: RELAY, bind_port: PORT, destination_address: ONE, destination_port: 80, ...one.rule }
      const { route } = await api<ChangeRouteAnswer>('POST', '/routes', body)
      const id = route.route_rule_id
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
          return (await health(id)).severity === 'down'
        }, `${one.code} is found`)
        const { causes, state } = await health(id)
        assert.deepEqual(
          causes.map(({ code, effect }) => [code, effect]),
          [[one.code, 'stops']],
        )
        assert.equal(state, 'impaired')
        await untilForeseen({ ...body, route_rule_id: id }, SHOWN_BY_PACKETS.includes(one.code) ? [] : [one.code])
        const { verdict, suggested_fix } = await api<RouteAnalysis>('POST', `/routes/${id}/diagnostics/analyze`)
        assert.notEqual(verdict, 'HEALTHY')
        assert.ok(suggested_fix.length > 0)
        await eventually(async () => (await incidents()).length > 0, 'it is an incident')
        const [incident = assert.fail(), ...others] = await incidents()
        assert.deepEqual([others, incident.state, incident.reason], [[], 'down', causes[0]?.detail])
        assert.deepEqual(incident.remedies, causes[0]?.remedies)
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
        const left = (await health(id)).causes.filter(({ effect }) => effect === 'stops' || effect === 'degrades')
        assert.deepEqual(left, [])
      } finally {
        await api('DELETE', `/routes/${id}`)
        const tables = [
          'nft delete table inet theirs',
          'nft delete table ip theirs',
          `ip addr del ${ABSENT}/32 dev near0`,
        ]
        const links = ['spare0', 'spare1', 'br7'].map((name) => `ip link del ${name}`)
        for (const line of [...tables, ...links]) rig.relay.run('sh', ['-c', `${line} 2>/dev/null || true`])
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
})
