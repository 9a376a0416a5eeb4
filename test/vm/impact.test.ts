// What an impact foretells of open connections over a tunnel, held against what becomes of a hundred real ones whose
// destination speaks, a third of them behind each NAT: the rows about links of decisions.md, I2.
import assert from 'node:assert/strict'
import type { ImpactAnswer, Impact } from '@panel/shared/api/impact/impact.ts'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { becomes, eventually } from './eventually.ts'
import { listener, speaker, type Requested, type Counted } from './impact-ends.ts'
import { startLab, type Lab, type Running } from './lab/index.ts'
import { CARRIED_OUT_FAR, showsHowItIsCarriedOut } from './carried-out.ts'
import { FAR_END, farTunnel, layCables, NEAR_END, RELAY } from './panel/cables.ts'
import { expect, startOnDisk, type Panel, type Place } from './panel/panel.ts'

/** Masqueraded, with SNAT, and without NAT. */
const CONNECTIONS = [34, 33, 33] as const
/** The port of a rule of its own. */
const HUNDRED = 4460

interface Link {
  readonly type: number
  readonly kind: string
  readonly key: number
  /** Inside: the panel has .1 and .3 of it, the far end .2. */
  readonly net: string
  /** The ports of the rules over it: masqueraded, with SNAT, without NAT, and one more for new connections. */
  readonly ports: readonly [number, number, number]
  readonly knocked: number
}
const GRE: Link = { type: 10, kind: 'gre', key: 7, net: '172.17.1', ports: [4441, 4442, 4443], knocked: 4440 }
const TAP: Link = { type: 20, kind: 'gretap', key: 8, net: '172.19.1', ports: [4451, 4452, 4453], knocked: 4450 }

/** Routes that keep what lies behind a tunnel here while it is down: the machine's own gateway would refuse it. */
const HERE = [GRE, TAP].map(({ net }) => `route add blackhole ${net}.0/24 metric 4000`)
/** Answers leave by the tunnel that the question came through. */
const FAR = [GRE, TAP].flatMap(({ kind, key, net }) => [
  ...farTunnel(`far-${kind}`, kind, key, `${net}.2/24`),
  `route add default via ${net}.3 dev far-${kind} table ${key}`,
  `rule add from ${net}.2 to 198.51.100.0/24 table ${key}`,
])

type Request = readonly [method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object]
type Fates = readonly [masqueraded: string, snat: string, without: string]

const SURVIVE: Fates = ['survive', 'survive', 'survive']
const END: Fates = ['end', 'end', 'end']
const FORGOTTEN: Fates = ['at_risk', 'survive', 'survive']
const MORE = { address: '172.18.1.1', prefix_length: 24 }
const USED = { address: '172.17.1.1', prefix_length: 24 }
const recreated = (interface_name: string) => ({ interface_name, confirm_recreate: true })

const ROWS: readonly (readonly [what: string, link: Link, request: Request, interruption: string, fates: Fates])[] = [
  ['a smaller MTU', GRE, ['PATCH', '', { mtu: 1300 }], 'none', SURVIVE],
  ['another queue length', GRE, ['PATCH', '', { tx_queue_length: 500 }], 'none', SURVIVE],
  ['a restart', GRE, ['POST', '/restart', {}], 'brief', SURVIVE],
  ['another outer header', GRE, ['PATCH', '', { ttl: 99 }], 'brief', SURVIVE],
  ['a recreate', GRE, ['PATCH', '', recreated('berlin')], 'brief', SURVIVE],
  ['one more address', GRE, ['POST', '/addresses', MORE], 'none', SURVIVE],
  ['a restart with addresses of two networks', GRE, ['POST', '/restart', {}], 'brief', FORGOTTEN],
  ['the address that is the source', GRE, ['DELETE', '/addresses', USED], 'brief', FORGOTTEN],
  ['a tunnel that is taken down', GRE, ['POST', '/down', {}], 'lasting', END],
  ['another outer header of a TAP kind', TAP, ['PATCH', '', { ttl: 99 }], 'brief', SURVIVE],
  ['a recreate of a TAP kind', TAP, ['PATCH', '', recreated('bremen')], 'brief', ['at_risk', 'at_risk', 'at_risk']],
  ['a tunnel that is deleted', TAP, ['DELETE', '', {}], 'lasting', END],
]

describe('The impact that is foretold of a tunnel, and real connections over it', function () {
  let lab: Lab
  let panel: Panel<Place>
  let client: Running
  let output = 0
  const paths = new Map<Link, string>()
  /** The rule of each port. */
  const rules = new Map<number, number>()

  async function furnish(link: Link): Promise<void> {
    const { type, key, net, ports, knocked } = link
    const ends = { local_endpoint: NEAR_END, remote_endpoint: FAR_END, ikey: key, okey: key, tunnel_type_id: type }
    const addresses = [1, 3].map((host) => ({ address: `${net}.${host}`, prefix_length: 24 }))
    const made = await panel.operator.post<CreateTunnelAnswer>('/tunnels', {
      ...ends,
      addresses,
      persistence_type_id: 30,
    })
    paths.set(link, `/tunnels/${expect(made, 201).tunnel.tunnel_id}`)
    const destination = { destination_address: `${net}.2`, destination_port: 9000, bind_address: RELAY }
    const nats = [{}, { nat_mode_id: 20, snat_address: `${net}.3` }, { nat_mode_id: 30 }, {}]
    for (const [at, bind_port] of [...ports, knocked].entries()) {
      const body = { ...destination, bind_port, ...nats[at] }
      const rule = expect(await panel.operator.post<ChangeRouteAnswer>('/routes', body), 201)
      rules.set(bind_port, rule.route.route_rule_id)
    }
  }

  before(async () => {
    lab = await startLab()
    panel = await startOnDisk(lab)
    await layCables(lab, { here: HERE, far: [...FAR, ...CARRIED_OUT_FAR] })
    expect(await panel.operator.put('/settings', { 'routes.conntrack_interval_seconds': 1 }), 200)
    for (const link of [GRE, TAP]) await furnish(link)
    const node = ['exec', 'far', 'node', '-e', speaker([GRE, TAP].map(({ net }) => `${net}.2`))]
    const far = lab.spawn('ip', ['netns', ...node])
    await far.says(/(listening\n){2}/)
    client = lab.spawn('ip', ['netns', 'exec', 'client', 'node', '-e', listener(RELAY)])
    await client.says(/ready/)
  })
  after(() => lab?.stop())

  async function ask(requests: Requested): Promise<Counted> {
    await client.write(`${JSON.stringify(requests)}\n`)
    const [line] = await client.says(new RegExp(`(?<=^ready\\n(.*\\n){${output++}}).+(?=\\n)`))
    return JSON.parse(line) as Counted
  }

  /** Once the connections have been counted since they were opened. */
  async function foretold([method, below, body]: Request, { ports, ...link }: Link, path: string): Promise<Impact> {
    const requests = { method, path: `${path}${below}`, body }
    const look = async (): Promise<Impact> =>
      expect(await panel.operator.post<ImpactAnswer>('/impact', requests), 200).impact
    const isCounted = (impact: Impact): boolean =>
      ports.every((port, at) => of(impact, port)?.connections === CONNECTIONS[at])
    return becomes(look, isCounted, link.kind)
  }
  const of = ({ rules: all }: Impact, port: number): Impact['rules'][number] | undefined =>
    all.find(({ route_rule_id }) => route_rule_id === rules.get(port))

  /** Both ends of these speak. */
  for (const [at, backend] of ['iptables_nft', 'nftables'].entries())
    it(`keeps a hundred masqueraded by ${backend} through a restart, another outer header, another MTU, a reapply and a new helper`, async () => {
      const newHelper = (): Promise<void> => panel.replaceHelper({ env: { PANEL_RULE_BACKEND: backend } })
      await newHelper()
      const destination = { destination_address: `${GRE.net}.2`, destination_port: 9000 }
      const requests = { bind_address: RELAY, bind_port: HUNDRED, ...destination }
      const made = expect(await panel.operator.post<ChangeRouteAnswer>('/routes', requests), 201).route
      rules.set(HUNDRED, made.route_rule_id)
      await ask({ talk: HUNDRED })
      await ask({ fill: { [HUNDRED]: 100 } })
      const path = paths.get(GRE) ?? ''
      const restart = { method: 'POST', path: `${path}/restart`, body: {} }
      const { impact } = expect(await panel.operator.post<ImpactAnswer>('/impact', restart), 200)
      assert.equal(of(impact, HUNDRED)?.fate, 'survive')
      for (const change of [{ mtu: 1350 + at }, { ttl: 88 + at }]) expect(await panel.operator.patch(path, change), 200)
      for (const action of ['restart', 'reapply']) expect(await panel.operator.post(`${path}/${action}`), 200)
      await newHelper()
      expect(await panel.operator.post(`${path}/restart`), 200)
      const { received, gap_ms } = await ask({ count: { [HUNDRED]: 100 }, patience_ms: 20_000 })
      assert.equal(received[HUNDRED], 100)
      console.log(`      none of them heard nothing for longer than ${gap_ms} ms`)
      await ask({ fill: {} })
      expect(await panel.operator.delete(`/routes/${made.route_rule_id}`), 200)
    })

  /** The rule's own port at the far end, by who is seen there. */
  async function seenFrom(address: string): Promise<number> {
    const shown = await lab.run('ip netns exec far ss -Htn state established sport = 9000')
    return shown.split('\n').filter((line) => line.trim().split(/\s+/)[3]?.startsWith(`${address}:`)).length
  }

  it('keep the address of the tunnel where a host route leads elsewhere, and new ones have that of the other link', async () => {
    const destination = { destination_address: `${GRE.net}.2`, destination_port: 9000 }
    const requests = { bind_address: RELAY, bind_port: HUNDRED, ...destination }
    const made = expect(await panel.operator.post<ChangeRouteAnswer>('/routes', requests), 201).route
    const answered = async (connections: number): Promise<number | undefined> =>
      (await ask({ count: { [HUNDRED]: connections }, patience_ms: 20_000 })).received[HUNDRED]
    await ask({ fill: { [HUNDRED]: 20 } })
    await lab.run(`ip route add ${GRE.net}.2/32 via ${FAR_END} dev to-far`)
    assert.equal(await answered(20), 20)
    await ask({ fill: { [HUNDRED]: 30 } })
    assert.deepEqual([await seenFrom(`${GRE.net}.1`), await seenFrom(NEAR_END)], [20, 10])
    await lab.run(`ip route del ${GRE.net}.2/32`)
    assert.equal(await answered(20), 20)
    const what = 'the kernel ends what it masqueraded for the other link'
    await eventually(async () => (await seenFrom(NEAR_END)) === 0, what)
    assert.equal(await seenFrom(`${GRE.net}.1`), 20)
    await ask({ fill: {} })
    expect(await panel.operator.delete(`/routes/${made.route_rule_id}`), 200)
  })

  for (const [what, link, request, interruption, fates] of ROWS)
    it(`agree for ${what}`, async () => {
      const { ports, knocked } = link
      const path = paths.get(link) ?? ''
      await ask({ fill: Object.fromEntries(ports.map((port, at) => [port, CONNECTIONS[at] ?? 0])) })
      const impact = await foretold(request, link, path)
      assert.deepEqual([impact.interruption, ports.map((port) => of(impact, port)?.fate)], [interruption, fates])
      await ask({ knock: knocked })
      const [method, below, body] = request
      const done = await panel.operator.api(method, `${path}${below}`, body)
      assert.equal(done.status, 200, done.text)
      const shall = ports.map((port, at) => [port, fates[at] === 'survive' ? (CONNECTIONS[at] ?? 0) : 0] as const)
      const isOver = interruption === 'lasting'
      const count = Object.fromEntries(shall)
      const { received, refused, fresh } = await ask({ count, patience_ms: isOver ? 2000 : 20_000 })
      for (const [index, fate] of fates.entries())
        if (fate !== 'at_risk')
          assert.equal(received[ports[index] ?? 0], shall[index]?.[1], `${fate}: ${JSON.stringify(received)}`)
      // Another name is another hardware address of a TAP kind. The far end learns it with the address by which this
      // server looks for it; for the others it has the old one until its neighbour entries expire.
      const isRelearned = fates.every((fate) => fate === 'at_risk')
      assert.deepEqual(isRelearned ? fresh.slice(0, 1) : fresh, isOver ? [] : isRelearned ? ports.slice(0, 1) : ports)
      if (interruption === 'none') assert.equal(refused, 0)
      console.log(
        `      left of ${CONNECTIONS.join(', ')}: ${JSON.stringify(received)}; ${refused} new ones refused meanwhile`,
      )
    })

  showsHowItIsCarriedOut(() => ({ lab, panel }))
})
