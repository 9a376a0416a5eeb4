// PATCH /tunnels/{id} with what only a new link can have, or what the far end has to follow: it must be confirmed
// (reference.md; decisions.md, T12, T14, R21). What this end alone has changes in place.
import assert from 'node:assert/strict'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { routeThrough } from '../support/fake-routes.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { codesOf, createTunnel, deleteTunnel, getTunnel, patchTunnel } from './support/tunnels.ts'

/** Each field with a new value, and whether the link is recreated for it. */
const TO_CONFIRM: Readonly<Record<string, readonly [value: unknown, recreates: boolean]>> = {
  tunnel_type_id: [20, true],
  interface_name: ['berlin', true],
  tunnel_side_id: [20, false],
  local_endpoint: ['192.0.2.77', false],
  remote_endpoint: ['198.51.100.8', false],
  ikey: [1, false],
  okey: [null, false],
  has_input_checksum: [true, false],
  has_output_checksum: [true, false],
  has_input_sequence: [true, false],
  has_output_sequence: [true, false],
  persistence_type_id: [30, false],
}
const OF_THIS_END = {
  bind_device: 'eth0',
  ttl: 9,
  tos: '0x10',
  is_path_mtu_discovery: true,
  is_ignore_df: true,
  fwmark: 6,
}
const OF_THIS_END_IPV6 = { hop_limit: 8, traffic_class: '0x20', encap_limit: 4, flow_label: 5 }

describe('PATCH /tunnels/{id} with what only a new link can have, or the far end has to follow', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await createTunnel(client, { ikey: 7, okey: 7 })
    panel.kernel.changes.length = 0
  })
  afterEach(() => panel.close())

  const stored = async (id = 1): Promise<TunnelView> => (await getTunnel(client, id)).body
  const index = (name = 'gre-a-1'): number | undefined => panel.kernel.held.get(name)?.index

  describe('keeps the sysctls that the link had of its own', () => {
    const OWN = [{ family: 'ipv4', key: 'rp_filter', value: '2' }] as const
    const change = (body: object) => patchTunnel(client, 1, { ...body, confirm_recreate: true })
    beforeEach(() => void panel.kernel.sysctls.set('gre-a-1', OWN))

    it('whatever its new name', async () => {
      for (const body of [{ ttl: 9 }, { tunnel_type_id: 20 }]) {
        assert.equal((await change(body)).status, 200)
        assert.deepEqual([...panel.kernel.sysctls], [['gre-a-1', OWN]])
      }
      assert.equal((await change({ interface_name: 'berlin' })).status, 200)
      assert.deepEqual([...panel.kernel.sysctls], [['berlin', OWN]])
    })

    it('and gives them to no other tunnel that gets its name', async () => {
      assert.equal((await deleteTunnel(client, 1)).status, 200)
      assert.equal((await createTunnel(client)).status, 201)
      assert.deepEqual([[...panel.kernel.held.keys()], [...panel.kernel.sysctls]], [['gre-a-1'], []])
    })
  })

  describe('asks for a confirmation before', () => {
    for (const [field, [value, recreates]] of Object.entries(TO_CONFIRM)) {
      it(`${field} changes, ${recreates ? 'which recreates the link' : 'in place'}: 409 with the reason and nothing changed, 200 with confirm_recreate and the value stored`, async () => {
        const picture = panel.kernel.picture()
        const record = await stored()
        const { status, error } = await patchTunnel(client, 1, { [field]: value })
        assert.deepEqual(
          [status, error.code, error.field, error.details['interface_name'], error.details['requires_recreate']],
          [409, 'CONFIRM_RECREATE_REQUIRED', 'confirm_recreate', 'gre-a-1', recreates],
        )
        const reasons = error.details['reasons'] as string[]
        assert(reasons.length === 1 && reasons[0]?.startsWith(`${field}: `), reasons.join())
        assert.deepEqual([panel.kernel.picture(), panel.kernel.changes, await stored()], [picture, [], record])
        const before = index()
        const { status: done, body, text } = await patchTunnel(client, 1, { [field]: value, confirm_recreate: true })
        assert.equal(done, 200, text)
        assert.deepEqual(
          [body.plan.requires_recreate, body.verification.ok, body.tunnel.apply_status],
          [recreates, true, 'Applied'],
        )
        assert.equal(index(body.tunnel.interface_name) === before, !recreates)
        assert.deepEqual((await stored())[field as keyof TunnelView], value)
      })
    }

    it('the type changes, endpoints and all', async () => {
      const body = { tunnel_type_id: 30, local_endpoint: '2001:db8::1', remote_endpoint: '2001:db8:9::9' }
      const refused = await patchTunnel(client, 1, { tunnel_type_id: 30, confirm_recreate: true })
      assert.deepEqual(
        [refused.status, codesOf(refused)],
        [422, { local_endpoint: 'ENDPOINT_FAMILY_MISMATCH', remote_endpoint: 'ENDPOINT_FAMILY_MISMATCH' }],
      )
      assert.equal(((await patchTunnel(client, 1, body)).error.details['reasons'] as string[]).length, 3)
      const { status, text } = await patchTunnel(client, 1, { ...body, confirm_recreate: true })
      assert.equal(status, 200, text)
      assert.equal(panel.kernel.held.get('gre-a-1')?.kind, 'ip6gre')
    })

    it('persistence goes and comes back: the link stays, and its unit is removed and written', async () => {
      const before = index()
      const gone = await patchTunnel(client, 1, { persistence_type_id: 30, confirm_recreate: true })
      assert.deepEqual(
        [gone.body.plan.steps.map(({ kind }) => kind), panel.kernel.files.size, index()],
        [['systemd_disable', 'file_remove'], 0, before],
      )
      assert.deepEqual([gone.body.plan.requires_recreate, gone.body.plan.recreate_reasons], [false, []])
      const back = await patchTunnel(client, 1, { persistence_type_id: 10, confirm_recreate: true })
      assert.deepEqual(
        [back.body.plan.steps.map(({ kind }) => kind), panel.kernel.files.size, index()],
        [['file_write', 'systemd_enable'], 1, before],
      )
    })

    for (const [what, drift, field, operation] of [
      ['only a new link can put right', { kind: 'gretap', ttl: 3 }, 'kind', 'recreate'],
      ['the far end has to follow', { ikey: 3, ttl: 3 }, 'ikey', 'update'],
    ] as const)
      it(`drift is put right that ${what}`, async () => {
        const link = panel.kernel.held.get('gre-a-1')?.state
        assert(link)
        const stored = link.config
        link.config = { ...link.config, ...drift }
        const { error } = await patchTunnel(client, 1, { mtu: 1400 })
        assert.deepEqual(
          [error.code, (error.details['reasons'] as string[]).map((why) => why.split(':')[0])],
          ['CONFIRM_RECREATE_REQUIRED', [field]],
        )
        const { status, body } = await patchTunnel(client, 1, { mtu: 1400, confirm_recreate: true })
        assert.deepEqual(
          [status, body.plan.operation, panel.kernel.held.get('gre-a-1')?.state?.config],
          [200, operation, { ...stored, mtu: 1400 }],
        )
      })

    it('needs none where the confirmation was given for nothing', async () => {
      const before = index()
      const { body } = await patchTunnel(client, 1, { mtu: 1400, confirm_recreate: true })
      assert.deepEqual([body.plan.requires_recreate, index()], [false, before])
    })
  })

  describe('asks for none before', () => {
    const over6 = { tunnel_type_id: 30, local_endpoint: '2001:db8::1', remote_endpoint: '2001:db8:9::9' }
    for (const [id, fields] of [
      [1, OF_THIS_END],
      [2, OF_THIS_END_IPV6],
    ] as const)
      for (const [field, value] of Object.entries(fields))
        it(`${field} changes, which is of this end alone: in place`, async () => {
          await createTunnel(client, over6)
          const name = (await stored(id)).interface_name
          const before = index(name)
          const { status, body, text } = await patchTunnel(client, id, { [field]: value })
          assert.equal(status, 200, text)
          assert.deepEqual(
            [body.plan.requires_recreate, body.plan.steps.map(({ kind }) => kind), index(name)],
            [false, ['link_set', 'file_write'], before],
          )
          assert.deepEqual((await stored(id))[field as keyof TunnelView], value)
        })

    it('a drifted outer header of this end is put right, also with what else changes', async () => {
      const link = panel.kernel.held.get('gre-a-1')?.state
      assert(link)
      link.config = { ...link.config, ttl: 3 }
      const { status, body } = await patchTunnel(client, 1, { mtu: 1400 })
      assert.deepEqual([status, body.plan.operation, link.config.ttl, link.config.mtu], [200, 'update', 255, 1400])
    })
  })

  it('recreates the link where the kernel does not change it in place, and says so in a warning', async () => {
    const before = index()
    panel.kernel.stubborn.set('gre-a-1', new KernelError('EOPNOTSUPP', 'Operation not supported'))
    const { status, body } = await patchTunnel(client, 1, { ttl: 9 })
    assert.deepEqual(
      [status, body.tunnel.ttl, body.verification.ok, body.warnings.map(({ code }) => code)],
      [200, 9, true, ['LINK_RECREATED']],
    )
    assert.notEqual(index(), before)
    assert.equal(panel.kernel.held.get('gre-a-1')?.state?.config.ttl, 9)
  })

  describe('and the foreign routes through it', () => {
    const through = [
      routeThrough('10.50.0.0/16'),
      routeThrough('10.51.0.0/16', { gateway: '172.17.1.2', protocol: 'bird' }),
      routeThrough('10.52.0.0/16', { unmodelled: ['metrics'] }),
    ]
    beforeEach(() => panel.kernel.routesOfOthers.set('gre-a-1', [...through]))

    for (const [what, body] of [
      ['under its name', { tunnel_type_id: 20, mtu: 1458 }],
      ['under another name', { interface_name: 'berlin' }],
    ] as const)
      it(`takes along what it can, ${what}, shows that as steps of the plan, and names the rest`, async () => {
        const { body: done, text } = await patchTunnel(client, 1, { ...body, confirm_recreate: true })
        assert.deepEqual(
          done.plan.steps.filter(({ kind }) => kind === 'route_add').map(({ description }) => description),
          [`Add the route 10.50.0.0/16 through ${done.tunnel.interface_name} again.`],
          text,
        )
        assert.deepEqual(
          done.warnings.map(({ code, params }) => [code, params['routes']]),
          [['ROUTES_LOST', '10.51.0.0/16 via 172.17.1.2, 10.52.0.0/16']],
        )
        assert.deepEqual([...panel.kernel.routesOfOthers], [[done.tunnel.interface_name, through.slice(0, 1)]])
      })

    it('stay where the link stays, and nobody is warned', async () => {
      const { body } = await patchTunnel(client, 1, { mtu: 1400, okey: 9, confirm_recreate: true })
      assert.deepEqual(
        [
          body.warnings.filter(({ code }) => code !== 'GRE_KEY_ASYMMETRIC'),
          body.plan.steps.map(({ kind }) => kind).includes('route_add'),
          panel.kernel.routesOfOthers.size,
        ],
        [[], false, 1],
      )
    })
  })
})
