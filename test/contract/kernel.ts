// What a kernel does, as one suite for the fake and the real one: a sentence that holds for one and not the other is a
// lie of the fake's.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FoundLink, Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { canonicalConfig } from '@panel/shared/tunnel/canonical.ts'
import type { HostEvent } from '@panel/shared/events/model.ts'
import {
  isIpv6Kind,
  LINK_KINDS,
  type LinkConfig,
  type LinkKind,
  type TunnelAddress,
} from '@panel/shared/tunnel/model.ts'
import { savedFileName, NETWORKD_KINDS, UNIT_KINDS } from '@panel/shared/tunnel/saved-file.ts'
import type { RouteThrough } from '@panel/shared/tunnel/model.ts'
import { withoutCounters } from '@panel/shared/tunnel/observed.ts'
import { exampleConfig } from '../support/example.ts'
import { routeThrough } from '../support/fake-routes.ts'

export const NAME = 'gre-c-1'
export const OTHER = 'gre-c-2'
export const V4: TunnelAddress = { address: '172.17.1.1', peer_address: '', prefix_length: 30 }
export const V6: TunnelAddress = { address: '2001:db8:1::1', peer_address: '', prefix_length: 64 }
const PEER: TunnelAddress = { address: '10.9.0.1', peer_address: '10.9.0.2', prefix_length: 32 }

export const configOf = (kind: LinkKind, fields: Partial<LinkConfig> = {}): LinkConfig =>
  canonicalConfig({
    ...exampleConfig,
    kind,
    ...(isIpv6Kind(kind) ? { local_endpoint: '2001:db8::1', remote_endpoint: '2001:db8::2' } : {}),
    addresses: [],
    ...fields,
  })

export function kernelContract(open: () => Promise<Kernel>): void {
  let kernel: Kernel
  const only = async (name = NAME): Promise<FoundLink> => {
    const [found, ...rest] = await kernel.links.list([name])
    assert.ok(found && rest.length === 0, `there should be one ${name}`)
    return found
  }

  before(async () => void (kernel = await open()))
  afterEach(async () => {
    for (const { interface_name } of await kernel.links.list([NAME, OTHER])) await kernel.links.delete(interface_name)
  })

  for (const kind of LINK_KINDS) {
    it(`makes a ${kind} link just as requested, down and without addresses`, async () => {
      const config = configOf(kind, {
        ttl: 64,
        tos: '0x10',
        mtu: 1400,
        tx_queue_length: 77,
        ikey: 1,
        okey: 0xffff_ffff,
        fwmark: 9,
      })
      await kernel.links.create(NAME, { ...config, addresses: [V4] })
      const { link, observed, unmodelled } = await only()
      assert.deepEqual(link, { is_up: false, config })
      assert.deepEqual(
        [observed.kind, observed.mtu, observed.is_up, observed.local_endpoint],
        [kind, 1400, false, config.local_endpoint],
      )
      assert.deepEqual(unmodelled, [])
    })

    it(`says that it can make ${kind} links`, async () => {
      assert.equal((await kernel.links.supports(kind)).supported, true)
      assert.deepEqual(await kernel.links.list([NAME]), [])
    })
  }

  it('refuses a second link of the same name, and one between the same ends with the same key', async () => {
    await kernel.links.create(NAME, configOf('gre'))
    const elsewhere = configOf('gre', { remote_endpoint: '192.0.2.9' })
    await assert.rejects(kernel.links.create(NAME, elsewhere), { code: 'EEXIST' })
    await assert.rejects(kernel.links.create(OTHER, configOf('gre', { mtu: 1400 })), { code: 'EEXIST' })
    await kernel.links.create(OTHER, configOf('gre', { ikey: 5, okey: 5 }))
    assert.equal((await kernel.links.list([NAME, OTHER])).length, 2)
  })

  it('changes MTU and queue length in place', async () => {
    await kernel.links.create(NAME, configOf('gre'))
    const { observed } = await only()
    await kernel.links.setMtu(NAME, 1300)
    await kernel.links.setTxQueueLength(NAME, 42)
    const after = await only()
    assert.deepEqual(
      [after.link?.config.mtu, after.link?.config.tx_queue_length, after.observed.index],
      [1300, 42, observed.index],
    )
  })

  it('brings a link up, where a GRE link reports UNKNOWN, and down again', async () => {
    await kernel.links.create(NAME, configOf('gre'))
    assert.equal((await only()).observed.oper_state, 'DOWN')
    await kernel.links.setUp(NAME, true)
    const up = await only()
    assert.deepEqual(
      [up.link?.is_up, up.observed.oper_state, up.observed.flags.includes('UP')],
      [true, 'UNKNOWN', true],
    )
    await kernel.links.setUp(NAME, false)
    assert.equal((await only()).link?.is_up, false)
  })

  it('adds addresses of both families, with a peer too, and shows no link-local one as ours', async () => {
    await kernel.links.create(NAME, configOf('gre'))
    for (const address of [V6, V4, PEER]) await kernel.links.addAddress(NAME, address)
    await kernel.links.setUp(NAME, true)
    assert.deepEqual(
      (await only()).link?.config.addresses,
      canonicalConfig({ ...configOf('gre'), addresses: [V4, V6, PEER] }).addresses,
    )
  })

  it('sends through a link by the only address of a family, and names none of several', async () => {
    const sources = async (): Promise<string[]> =>
      (await kernel.links.sources()).filter((one) => one.interface_name === NAME).map(({ address }) => address)
    await kernel.links.create(NAME, configOf('gre'))
    await kernel.links.setUp(NAME, true)
    assert.deepEqual(await sources(), [])
    for (const address of [V6, V4]) await kernel.links.addAddress(NAME, address)
    assert.deepEqual(await sources(), [V4.address, V6.address])
    await kernel.links.addAddress(NAME, PEER)
    assert.deepEqual(await sources(), [V6.address])
    await kernel.links.removeAddress(NAME, V4)
    assert.deepEqual(await sources(), [PEER.address, V6.address])
  })

  it('refuses to add an address twice, and to remove one that is not there', async () => {
    await kernel.links.create(NAME, configOf('gre'))
    for (const address of [V4, V6]) {
      await kernel.links.addAddress(NAME, address)
      await assert.rejects(kernel.links.addAddress(NAME, address), { code: 'EEXIST' })
      await kernel.links.removeAddress(NAME, address)
      await assert.rejects(kernel.links.removeAddress(NAME, address), { code: 'EADDRNOTAVAIL' })
    }
    assert.deepEqual((await only()).link?.config.addresses, [])
  })

  it('takes the IPv6 addresses of a link that goes down, and leaves the IPv4 ones', async () => {
    await kernel.links.create(NAME, configOf('gre'))
    for (const address of [V4, V6]) await kernel.links.addAddress(NAME, address)
    await kernel.links.setUp(NAME, true)
    await kernel.links.setUp(NAME, false)
    assert.deepEqual((await only()).link?.config.addresses, [V4])
  })

  it('deletes a link, and says ENODEV of one that is not there', async () => {
    await kernel.links.create(NAME, configOf('gre'))
    await kernel.links.delete(NAME)
    assert.deepEqual(await kernel.links.list([NAME]), [])
    await assert.rejects(kernel.links.delete(NAME), { code: 'ENODEV' })
    await assert.rejects(kernel.links.setMtu(NAME, 1400), { code: 'ENODEV' })
  })

  it('adds a route through a link that is up, leaves one that is there, and loses them with the link', async () => {
    const { links } = kernel
    await links.create(NAME, configOf('gre'))
    await links.addAddress(NAME, V4)
    await links.setUp(NAME, true)
    assert.deepEqual(await links.routesThrough(NAME), [])
    const routes = [routeThrough('10.50.0.0/16'), routeThrough('10.60.0.0/16', { table: 1000, metric: 7 })]
    for (const route of [...routes, ...routes]) await links.addRoute(NAME, route)
    const byTable = (found: RouteThrough[]) => found.sort((one, other) => one.table - other.table)
    assert.deepEqual(byTable(await links.routesThrough(NAME)), routes)
    await links.setUp(NAME, false)
    assert.deepEqual(await links.routesThrough(NAME), [])
    await links.delete(NAME)
    assert.deepEqual(await links.routesThrough(NAME), [])
    await assert.rejects(links.addRoute(NAME, routes[0]!), { code: 'ENODEV' })
  })

  it("changes and deletes no link that is not the panel's, and one that it adopts", async () => {
    await kernel.links.create(NAME, configOf('gre'))
    await kernel.links.addAddress(NAME, V4)
    const before = await only()
    await kernel.ownLinks.release(before.observed.index)
    for (const change of [
      () => kernel.links.delete(NAME),
      () => kernel.links.setUp(NAME, true),
      () => kernel.links.change(NAME, configOf('gre', { ttl: 9 })),
      () => kernel.links.setMtu(NAME, 1400),
      () => kernel.links.setTxQueueLength(NAME, 5),
      () => kernel.links.setMulticast(NAME, true),
      () => kernel.links.addAddress(NAME, V6),
      () => kernel.links.removeAddress(NAME, V4),
    ])
      await assert.rejects(change(), { code: 'EPERM' })
    assert.deepEqual((await only()).link, before.link)
    await kernel.ownLinks.keep(before.observed.index)
    await kernel.links.setMtu(NAME, 1400)
    assert.equal((await only()).link?.config.mtu, 1400)
  })

  it('shows without counters what the list does, whole and as the live side alone, after whatever has changed', async () => {
    const ours = <L extends { interface_name: string }>(links: readonly L[]): L[] =>
      [NAME, OTHER].flatMap((name) => links.filter(({ interface_name }) => interface_name === name))
    const { links } = kernel
    for (const change of [
      () => links.create(NAME, configOf('gre')),
      () => links.addAddress(NAME, V4),
      () => links.create(OTHER, configOf('ip6gretap')),
      () => links.setMtu(NAME, 1300),
      () => links.change(NAME, configOf('gre', { ttl: 9, ikey: 3 })),
      () => links.addAddress(NAME, V6),
      () => links.setUp(OTHER, true),
      () => links.removeAddress(NAME, V4),
      async () => undefined,
      () => links.delete(NAME),
      () => links.create(NAME, configOf('gretap')),
    ]) {
      await change()
      const counted = ours(await links.list(null))
      const wanted = counted.map(({ observed, ...link }) => ({ ...link, observed: withoutCounters(observed) }))
      assert.deepEqual(ours(await links.listUncounted(null)), wanted)
      const live = wanted.map(({ interface_name, observed }) => ({ interface_name, observed }))
      assert.deepEqual(ours(await links.observe([NAME, OTHER])), live)
    }
  })

  it('tells a change of a link or an address as an event, and nothing to who has ended it', async () => {
    const received: HostEvent[] = []
    const end = kernel.events.watch((event) => received.push(event))
    const waitFor = async (wanted: Partial<HostEvent>): Promise<number> => {
      for (let tries = 0; tries < 20_000; tries += 1) {
        const found = received.find((event) =>
          Object.entries(wanted).every(([key, value]) => event[key as keyof HostEvent] === value),
        )
        received.length = found ? 0 : received.length
        if (found) return found.index
        await sleep(20)
      }
      throw new Error(`No event told ${JSON.stringify(wanted)}`)
    }
    await kernel.links.create(NAME, configOf('gre'))
    const link = { subject: 'link', interface_name: NAME, is_removal: false } as const
    const index = await waitFor(link)
    assert.equal(index, (await only()).observed.index)
    await kernel.links.setMtu(NAME, 1300)
    await waitFor(link)
    await kernel.links.addAddress(NAME, V4)
    await waitFor({ subject: 'address', interface_name: '', index, is_removal: false })
    await kernel.links.removeAddress(NAME, V4)
    await waitFor({ subject: 'address', index, is_removal: true })
    await kernel.links.delete(NAME)
    await waitFor({ ...link, index, is_removal: true })
    end()
    received.length = 0
    await kernel.links.create(NAME, configOf('gre'))
    await sleep(100)
    assert.deepEqual(received, [])
  })

  it('lists every link of our kinds and never a stub of the kernel', async () => {
    await kernel.links.create(NAME, configOf('gre'))
    await kernel.links.create(OTHER, configOf('ip6gretap'))
    const names = (await kernel.links.list(null)).map((found) => found.interface_name)
    assert.deepEqual(names.filter((name) => name.startsWith('gre-c-')).sort(), [NAME, OTHER])
    assert.deepEqual(
      names.filter((name) => /^(gre0|gretap0|erspan0|ip6gre0|lo)$/.test(name)),
      [],
    )
  })

  it('keeps a unit file as written, enables and disables it, and lists it', async () => {
    const file = savedFileName('systemd_unit', NAME)
    assert.equal(await kernel.units.read(file), null)
    await kernel.units.write(file, 'one\n')
    await kernel.units.write(file, 'two\n')
    assert.deepEqual([await kernel.units.read(file), await kernel.units.isEnabled(file)], ['two\n', false])
    await kernel.units.setEnabled(file, true)
    assert.deepEqual(
      [
        await kernel.units.isEnabled(file),
        (await kernel.units.list()).includes(file),
        (await kernel.units.listEnabled()).includes(file),
      ],
      [true, true, true],
    )
    await kernel.units.setEnabled(file, false)
    await kernel.units.remove(file)
    await kernel.units.remove(file)
    assert.deepEqual(
      [
        await kernel.units.read(file),
        await kernel.units.isEnabled(file),
        (await kernel.units.list()).includes(file),
        (await kernel.units.listEnabled()).includes(file),
      ],
      [null, false, false, false],
    )
  })

  it('refuses a file name that is not one of our units', async () => {
    for (const name of ['../etc/passwd', 'ssh.service', 'tunnel-panel-link-.service'])
      await assert.rejects(kernel.units.read(name), /not a name of our files/)
  })

  it('keeps the two files of networkd as written, and lists them', async () => {
    const files = NETWORKD_KINDS.map((kind) => savedFileName(kind, NAME))
    for (const file of files) {
      assert.equal(await kernel.networkd.read(file), null)
      await kernel.networkd.write(file, 'one\n')
      await kernel.networkd.write(file, 'two\n')
      assert.equal(await kernel.networkd.read(file), 'two\n')
    }
    await kernel.networkd.reloadFor(NAME)
    await kernel.networkd.settled(NAME)
    assert.deepEqual([...(await kernel.networkd.list())].sort(), files)
    for (const file of [...files, ...files]) await kernel.networkd.remove(file)
    assert.deepEqual(await kernel.networkd.list(), [])
  })

  it('keeps units out of the folder of networkd, and its files out of that of units', async () => {
    for (const kind of NETWORKD_KINDS)
      await assert.rejects(kernel.units.write(savedFileName(kind, NAME), 'text'), /not a name of our files/)
    for (const kind of UNIT_KINDS)
      await assert.rejects(kernel.networkd.write(savedFileName(kind, NAME), 'text'), /not a name of our files/)
  })
}
