// Real GRE links between two servers, changed in place under flows: each row of what the kernel takes so, for all four
// kinds and so for both families, and a key that changes at both ends under a thousand connections.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type {
  CreateTunnelAnswer,
  ListTunnelsAnswer,
  TunnelView,
  UpdateTunnelAnswer,
} from '@panel/shared/api/tunnels/answers.ts'
import type { AdoptAnswer } from '@panel/shared/api/reconcile.ts'
import { canonicalConfig } from '@panel/shared/tunnel/canonical.ts'
import {
  isIpv6Kind,
  isMulticast,
  isTapKind,
  LINK_KINDS,
  type LinkConfig,
  type LinkKind,
} from '@panel/shared/tunnel/model.ts'
import { linkAddArguments, linkChangeArguments } from '@panel/shared/tunnel/systemd-unit.ts'
import { exampleConfig } from '../support/example.ts'
import { pairOfOneKind } from '../support/random-states.ts'
import { startLab, type Lab, type Server } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { echoFlows, openFlows } from './panel/flows.ts'
import { expect, Panel } from './panel/panel.ts'
import { realKernel } from './panel/real-kernel.ts'
import { settled } from './panel/settled.ts'

const NAME = 'gre-a-1'
const FAR = 'by-hand'
const [NEAR_END, FAR_END] = ['172.17.1.1', '172.17.1.2']
const [FEW, MANY] = [20, 1000]
/** Second addresses of the two servers. */
const MOVED = { 4: ['198.51.100.1', '198.51.100.2'], 6: ['2001:db8::a', '2001:db8::b'] } as const

/** `isHeard`: the ends understand each other before the far end has followed. */
interface Row {
  readonly fields: Partial<LinkConfig>
  readonly isHeard: boolean
}

const rowsOf = (kind: LinkKind): readonly Row[] => {
  const [local_endpoint, remote_endpoint] = MOVED[isIpv6Kind(kind) ? 6 : 4]
  const ofThisEnd: Partial<LinkConfig>[] = [
    { ttl: 33, tos: '0x10', fwmark: 6, bind_device: 'eth0' },
    ...(isIpv6Kind(kind)
      ? [{ encap_limit: 4, flow_label: 0xbeef }, { encap_limit: null }]
      : [{ is_path_mtu_discovery: true }, { is_path_mtu_discovery: false, is_ignore_df: true }]),
  ]
  const ofBothEnds: Partial<LinkConfig>[] = [
    { okey: 12 },
    { ikey: 0xffff_ffff },
    { ikey: null, okey: null },
    { has_output_checksum: true },
    { has_input_checksum: true },
    { has_input_sequence: true },
    { remote_endpoint },
    { local_endpoint },
  ]
  // One kind of each driver is enough to see that nothing passes until the far end has followed each of them.
  if (isTapKind(kind)) ofBothEnds.splice(0, Infinity, Object.assign({}, ...ofBothEnds) as Partial<LinkConfig>)
  return [
    ...ofThisEnd.map((fields) => ({ fields, isHeard: true })),
    ...ofBothEnds.map((fields) => ({ fields, isHeard: false })),
    // A receiver that wants no numbers takes packets that have some.
    { fields: { has_output_sequence: true }, isHeard: true },
  ]
}

/** The fields as the API names them. */
const bodyOf = (kind: LinkKind, { ttl, tos, ...fields }: Partial<LinkConfig>): object => ({
  ...fields,
  ...(ttl !== undefined && { [isIpv6Kind(kind) ? 'hop_limit' : 'ttl']: ttl }),
  ...(tos !== undefined && { [isIpv6Kind(kind) ? 'traffic_class' : 'tos']: tos }),
})

const mirrored = (near: LinkConfig): LinkConfig => ({
  ...near,
  local_endpoint: near.remote_endpoint,
  remote_endpoint: near.local_endpoint,
  bind_device: null,
  fwmark: null,
  ikey: near.okey,
  okey: near.ikey,
  has_input_checksum: near.has_output_checksum,
  has_output_checksum: near.has_input_checksum,
  has_input_sequence: near.has_output_sequence,
  has_output_sequence: near.has_input_sequence,
})

describe('A link of real GRE that is changed in place', function () {
  let lab: Lab
  let panel: Panel
  let far: Server
  let tunnel: TunnelView
  let near: LinkConfig
  /** Something answers there at the far end. */
  let port = 7000

  before(async () => {
    lab = await startLab({ kind: 'user-mode' })
    const servers = await lab.twoServers()
    await putPanel(lab)
    far = servers.b
    panel = await new Panel(servers.a).start()
    await panel.setUp()
    for (const [at, server] of [servers.a, far].entries()) {
      await server.run(`ip address add ${MOVED[4][at]}/24 dev eth0`)
      await server.run(`ip address add ${MOVED[6][at]}/64 dev eth0 nodad`)
    }
  })
  after(() => lab?.stop())

  /** The tunnel by the panel, its far end by hand, and something that answers there. */
  async function furnish(kind: LinkKind): Promise<void> {
    const [local_endpoint, remote_endpoint] = isIpv6Kind(kind)
      ? [panel.server.address6, far.address6]
      : [panel.server.address, far.address]
    const ends = { local_endpoint, remote_endpoint, ikey: 11, okey: 11 }
    const body = {
      ...ends,
      tunnel_type_id: (LINK_KINDS.indexOf(kind) + 1) * 10,
      interface_name: NAME,
      addresses: [{ address: NEAR_END, prefix_length: 30 }],
      persistence_type_id: 30,
    }
    tunnel = expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', body), 201).tunnel
    const defaults = { ...exampleConfig, kind, ...ends, encap_limit: tunnel.encap_limit, addresses: [] }
    near = canonicalConfig({ ...defaults, mtu: tunnel.mtu })
    await far.run('ip', linkAddArguments(FAR, mirrored(near), ['up']))
    await far.run(`ip address add ${FAR_END}/30 dev ${FAR}`)
    await Promise.all([settled(panel.server, NAME), settled(far, FAR)])
    await hears(true)
    await echoFlows(far, FAR_END, ++port)
    for (const route of [`10.50.0.0/16 dev ${NAME}`, `default via ${FAR_END} dev ${NAME} table 100`])
      await panel.server.run(`ip route add ${route}`)
  }

  afterEach(async () => {
    for (const { tunnel_id } of expect(await panel.operator.get<ListTunnelsAnswer>('/tunnels'), 200).tunnels)
      expect(await panel.operator.delete(`/tunnels/${tunnel_id}`), 200)
    await far.try('ip', ['link', 'delete', FAR])
  })

  interface IpLink {
    readonly ifindex: number
    readonly flags: readonly string[]
    readonly mtu: number
    readonly txqlen: number
  }
  async function only(name: string): Promise<IpLink> {
    const [link] = JSON.parse(await panel.server.run(`ip -j link show dev ${name}`)) as IpLink[]
    assert.ok(link)
    return link
  }
  const ping = (seconds: number) => panel.server.try('ping', ['-c', '1', '-W', `${seconds}`, FAR_END])
  async function hears(isHeard: boolean, what = ''): Promise<void> {
    // The first question may wait for the answer of a neighbour.
    const { code } = await ping(isHeard ? 20 : 1)
    assert.equal(code === 0, isHeard, what)
  }
  const routes = (): Promise<string> =>
    panel.server.run(`ip route show table all dev ${NAME} | sort; ip -6 route show table all dev ${NAME} | sort`)

  /** Changes this end, and says what the panel showed. */
  async function change(fields: Partial<LinkConfig>): Promise<UpdateTunnelAnswer> {
    near = canonicalConfig({ ...near, ...fields })
    const body = { ...bodyOf(near.kind, fields), confirm_recreate: true }
    return expect(await panel.operator.patch<UpdateTunnelAnswer>(`/tunnels/${tunnel.tunnel_id}`, body), 200)
  }
  const follow = (): Promise<string> => far.run('ip', linkChangeArguments(FAR, mirrored(near)))

  for (const kind of LINK_KINDS)
    it(`keeps its index, its routes and all flows, for every field of the outer header: ${kind}`, async () => {
      await furnish(kind)
      const flows = await openFlows(panel.server, FAR_END, port, FEW)
      const was = await routes()
      for (const { fields, isHeard } of rowsOf(kind)) {
        const what = `${kind} ${JSON.stringify(fields)}`
        const { plan, verification, tunnel: now, warnings } = await change(fields)
        assert.deepEqual(
          [plan.steps.map((step) => step.kind), plan.requires_recreate, verification.ok, now.observed.index],
          [['link_set'], false, true, tunnel.observed.index],
          what,
        )
        assert.ok(
          warnings.every(({ code }) => code !== 'LINK_RECREATED'),
          what,
        )
        assert.equal(await routes(), was, what)
        await hears(isHeard, what)
        await follow()
        if (!isHeard) await hears(true, what)
      }
      assert.deepEqual(await flows.end(), { flows: FEW, over: 0 })
    })

  it(`loses none of ${MANY} flows while its key changes at both ends, and keeps foreign routes`, async () => {
    await furnish('gre')
    const flows = await openFlows(panel.server, FAR_END, port, MANY)
    const was = await routes()
    const began = performance.now()
    const { tunnel: now, plan } = await change({ ikey: 12, okey: 12 })
    const answered_ms = Math.round(performance.now() - began)
    await follow()
    assert.deepEqual([plan.requires_recreate, now.observed.index], [false, tunnel.observed.index])
    assert.equal(await routes(), was)
    assert.deepEqual(await flows.end(), { flows: MANY, over: 0 })
    const helper = /"method":"tunnel\.apply"[^\n]*"duration_ms":(\d+)/g
    const took = [...panel.helper.text('stderr').matchAll(helper)].at(-1)?.[1] ?? 'unknown'
    console.log(`      answered in ${answered_ms} ms, of which root took ${took} ms`)
  })

  it('takes over a link made by hand for OSPF, and changes it in place with all that no tunnel of the panel has', async () => {
    const interface_name = 'ospf'
    const own = `gre local ${panel.server.address} remote ${far.address} key 77`
    await panel.server.run(`ip link add ${interface_name} type ${own}`)
    await panel.server.run(`ip address add 10.77.0.1/30 dev ${interface_name}`)
    const theirs = 'alias office group 7 promisc on allmulticast on'
    await panel.server.run(`ip link set ${interface_name} up multicast on ${theirs}`)
    await panel.server.run(`ip link property add dev ${interface_name} altname to-office`)
    const was = await only(interface_name)
    assert.ok(was.flags.includes('MULTICAST'))
    const adopted = expect(await panel.operator.post<AdoptAnswer>('/reconcile/adopt', { interface_name }), 201).tunnel
    assert.deepEqual([adopted.is_multicast, await only(interface_name)], [true, was])
    for (const [body, kinds, isOn] of [
      [{ ttl: 9, mtu: 1300 }, ['link_set'], true],
      [{ is_multicast: null }, ['link_set_multicast'], false],
      [{ tx_queue_length: 77 }, ['link_set_txqueuelen'], false],
      [{ is_multicast: true }, ['link_set_multicast'], true],
      [{ ttl: adopted.ttl, mtu: adopted.mtu, tx_queue_length: adopted.tx_queue_length }, undefined, true],
    ] as const) {
      const answer = await panel.operator.patch<UpdateTunnelAnswer>(`/tunnels/${adopted.tunnel_id}`, body)
      const { plan, verification } = expect(answer, 200)
      if (kinds) assert.deepEqual([plan.steps.map(({ kind }) => kind), plan.requires_recreate], [kinds, false])
      const now = await only(interface_name)
      const flags = was.flags.filter((flag) => isOn || flag !== 'MULTICAST')
      const { mtu, txqlen } = was
      assert.deepEqual([{ ...now, mtu, txqlen }, verification.ok], [{ ...was, flags }, true], JSON.stringify(body))
    }
    assert.deepEqual(await only(interface_name), was)
    expect(await panel.operator.delete(`/tunnels/${adopted.tunnel_id}`), 200)
  })

  it('reads back as one that was made so, for random configurations of each kind', async () => {
    const { links } = await realKernel(lab)
    const read = async (): Promise<unknown> =>
      (await links.list([NAME])).map(({ link, unmodelled }) => [link, unmodelled])
    for (const [was, shall] of fc.sample(pairOfOneKind, { numRuns: 40, seed: 38 })) {
      await links.create(NAME, was)
      await links.change(NAME, shall)
      await links.setTxQueueLength(NAME, shall.tx_queue_length)
      await links.setMulticast(NAME, isMulticast(shall))
      const inPlace = await read()
      await links.delete(NAME)
      await links.create(NAME, shall)
      assert.deepEqual(inPlace, await read(), JSON.stringify([was, shall]))
      await links.delete(NAME)
    }
  })
})
