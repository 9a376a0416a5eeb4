// What a kernel does with the outer header of a link that exists, and with its multicast.
import assert from 'node:assert/strict'
import type { FoundLink, Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { canonicalConfig } from '@panel/shared/tunnel/canonical.ts'
import { isIpv6Kind, isTapKind, LINK_KINDS, type LinkConfig, type LinkKind } from '@panel/shared/tunnel/model.ts'
import { routeThrough } from '../support/fake-routes.ts'
import { configOf, NAME, OTHER, V4, V6 } from './kernel.ts'

/** Every field of the outer header, and the MTU, other than in `configOf`. */
const otherHeader = (kind: LinkKind): LinkConfig =>
  configOf(kind, {
    ...(isIpv6Kind(kind)
      ? { local_endpoint: '2001:db8::8', remote_endpoint: '2001:db8::9', encap_limit: 4, flow_label: 0xbeef }
      : { local_endpoint: '192.0.2.8', remote_endpoint: '192.0.2.9', is_path_mtu_discovery: true }),
    bind_device: 'lo',
    ikey: 0xffff_ffff,
    okey: null,
    has_input_checksum: true,
    has_output_checksum: true,
    has_input_sequence: true,
    has_output_sequence: true,
    ttl: 7,
    tos: '0x10',
    fwmark: 9,
    mtu: 1400,
  })

export function headerContract(open: () => Promise<Kernel>): void {
  let kernel: Kernel
  const only = async (): Promise<FoundLink> => {
    const [found] = await kernel.links.list([NAME])
    assert.ok(found)
    return found
  }
  before(async () => void (kernel = await open()))
  afterEach(async () => {
    for (const { interface_name } of await kernel.links.list([NAME, OTHER])) await kernel.links.delete(interface_name)
  })

  for (const kind of LINK_KINDS)
    it(`changes the outer header of a ${kind} link in place, and back, and nothing else of it`, async () => {
      const { links } = kernel
      const config = configOf(kind, { tx_queue_length: 77 })
      await links.create(NAME, config)
      await links.setUp(NAME, true)
      await links.addAddress(NAME, V4)
      await links.addRoute(NAME, routeThrough('10.50.0.0/16'))
      const before = await only()
      const noDf = isIpv6Kind(kind) ? {} : { is_path_mtu_discovery: false, is_ignore_df: true }
      const other = otherHeader(kind)
      for (const shall of [other, { ...other, ...noDf }, other, { ...config, ttl: 0 }, config]) {
        await links.change(NAME, { ...shall, tx_queue_length: 5, addresses: [V6] })
        const { link, observed } = await only()
        const wanted = { ...shall, tx_queue_length: 77, addresses: [V4] }
        assert.deepEqual(link, { is_up: true, config: canonicalConfig(wanted) })
        assert.equal(observed.index, before.observed.index)
        assert.deepEqual(await links.routesThrough(NAME), [routeThrough('10.50.0.0/16')])
      }
    })

  for (const kind of LINK_KINDS)
    it(`makes a ${kind} link with multicast or without, and switches it in place`, async () => {
      const { links } = kernel
      const other = { is_multicast: !isTapKind(kind) }
      const is = async (): Promise<unknown> => {
        const { link, observed, unmodelled } = await only()
        return [link?.config.is_multicast, observed.flags.includes('MULTICAST'), unmodelled]
      }
      await links.create(NAME, configOf(kind, other))
      const { index } = (await only()).observed
      assert.deepEqual(await is(), [other.is_multicast, other.is_multicast, []])
      await links.setMulticast(NAME, isTapKind(kind))
      assert.deepEqual(await is(), [undefined, isTapKind(kind), []])
      await links.setMulticast(NAME, other.is_multicast)
      await links.setUp(NAME, true)
      await links.setMtu(NAME, 1300)
      await links.change(NAME, configOf(kind, { ttl: 9 }))
      assert.deepEqual(await is(), [other.is_multicast, other.is_multicast, []])
      assert.equal((await only()).observed.index, index)
    })

  it('refuses to change a link to the ends and the key of another, to another kind, and what no link can have', async () => {
    const { links } = kernel
    await links.create(OTHER, configOf('gre', { ikey: 5, okey: 5 }))
    await links.create(NAME, configOf('gre'))
    const { link } = await only()
    for (const [code, config] of [
      ['EEXIST', configOf('gre', { ikey: 5, okey: 5, ttl: 9 })],
      ['EOPNOTSUPP', configOf('gretap')],
      ['EINVAL', configOf('gre', { is_path_mtu_discovery: true, is_ignore_df: true })],
    ] as const) {
      await assert.rejects(links.change(NAME, config), { code })
      assert.deepEqual((await only()).link, link)
    }
    await links.delete(OTHER)
    await links.change(NAME, configOf('gre', { ikey: 5, okey: 5 }))
    await assert.rejects(links.change(OTHER, configOf('gre')), { code: 'ENODEV' })
  })
}
