// Own ends that follow the route to the other server (reference.md, Tunnels; decisions.md, T49). That it is so under
// flows over real GRE is in vm/local-endpoint-moves.
import assert from 'node:assert/strict'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { eventually } from '../support/eventually.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import { FarEndRig, NAME, NAMED, ONE, TWO } from './support/far-ends.ts'
import { act, deleteTunnel, patchTunnel } from './support/tunnels.ts'
import { followWindows } from './support/windows.ts'

const [OWN, OTHER, THIRD] = ['192.0.2.1', '203.0.113.7', '203.0.113.8'] as const
const MOVED = 'TunnelLocalMoved'
const AUTOMATIC = { local_endpoint: null, remote_hostname: undefined, remote_endpoint: ONE } as const
const UPLINK = [fakeRoute('0.0.0.0/0', 'ppp0'), fakeRoute('::/0', 'ppp0')] as const

describe('An own end whose route has another address', () => {
  let rig: FarEndRig
  FarEndRig.each((each) => (rig = each))

  const own = (name?: string): string | undefined => rig.link(name)?.state?.config.local_endpoint
  /** The line gets an address, and the default route is over it. */
  const dialled = async (...addresses: string[]): Promise<void> => {
    rig.has('ppp0', ...addresses.map((address) => `${address}/32`))
    await rig.routed(...UPLINK)
  }

  it('is moved in place: the link, what boot brings back and the record have it', async () => {
    const before = await rig.made(AUTOMATIC)
    const [index, was] = [rig.link()?.index, rig.panel.host.changes.length]
    await dialled(OTHER)
    assert.deepEqual([own(), rig.farEnd(), rig.link()?.index], [OTHER, ONE, index])
    assert.deepEqual(
      rig.panel.host.changes.slice(was).filter((change) => /^(create|delete|change) gre-a-1$/.test(change)),
      ['change gre-a-1'],
    )
    assert.match(rig.files, new RegExp(`local ${OTHER}`))
    const { local_endpoint, is_local_endpoint_automatic, updated_date, apply_status } = await rig.read()
    assert.deepEqual([local_endpoint, is_local_endpoint_automatic, apply_status], [OTHER, true, 'Applied'])
    assert.ok(updated_date > before.updated_date)
  })

  it('is in the audit log, with both addresses', async () => {
    await rig.made(AUTOMATIC)
    await dialled(OTHER)
    assert.deepEqual(
      (await rig.audited(MOVED)).map(({ operations: [first], is_success, target_id }) => [
        first,
        is_success,
        target_id,
      ]),
      [[`the route to ${ONE} has ${OTHER}: this end of gre-a-1 was ${OWN}`, true, 1]],
    )
  })

  it('is no drift', async () => {
    await rig.made(AUTOMATIC)
    await dialled(OTHER)
    const { body } = await rig.client.get<{ items: { status: string }[] }>('/reconcile')
    assert.deepEqual(
      body.items.map(({ status }) => status),
      ['InSync'],
    )
  })

  for (const subject of ['address', 'link', 'route', 'lost'] as const)
    it(`is moved with an event of the host: ${subject}`, async () => {
      await rig.made(AUTOMATIC)
      rig.has('eth0', `${OTHER}/24`)
      await rig.announced(subject)
      assert.equal(own(), OTHER)
    })

  it('stays while the interface has its address, whatever others come', async () => {
    await rig.made(AUTOMATIC)
    rig.has('eth0', '192.0.2.77/24', `${OWN}/24`)
    await rig.announced('address')
    assert.deepEqual([own(), (await rig.audited(MOVED)).length], [OWN, 0])
  })

  it('is that of the source of the route, where that gets another', async () => {
    await rig.made(AUTOMATIC)
    rig.has('eth0', `${OWN}/24`, '192.0.2.77/24')
    await rig.routed({ ...fakeRoute('0.0.0.0/0', 'eth0'), source: '192.0.2.77' })
    assert.equal(own(), '192.0.2.77')
  })

  it('keeps its last address while there is no route, which is shown, and is moved once there is one', async () => {
    const { updated_date } = await rig.made(AUTOMATIC)
    await rig.routed()
    const kept = await rig.read()
    assert.deepEqual(
      [own(), kept.local_endpoint_problem, kept.updated_date],
      [
        OWN,
        `The tunnel keeps its last address. This server has no route to ${ONE}. Add one, or enter the address that the tunnel is to have.`,
        updated_date,
      ],
    )
    assert.equal(kept.local_endpoint_problem_message.message_id, 'tunnel.local_last_address')
    await dialled(OTHER)
    assert.deepEqual([own(), (await rig.read()).local_endpoint_problem], [OTHER, ''])
  })

  it('says no more that there is no route once the same address is back', async () => {
    await rig.made(AUTOMATIC)
    const { hostRoutes } = rig.panel.host
    await rig.routed()
    await rig.routed(...hostRoutes)
    assert.deepEqual([(await rig.read()).local_endpoint_problem, (await rig.audited(MOVED)).length], ['', 0])
  })

  for (const [at, kind] of ['gre', 'gretap', 'ip6gre', 'ip6gretap'].entries())
    it(`is moved to one of its family: ${kind}`, async () => {
      const isSix = at > 1
      const ends = { ...AUTOMATIC, remote_endpoint: isSix ? '2001:db8:9::9' : ONE }
      await rig.made({ ...ends, tunnel_type_id: (at + 1) * 10, interface_name: 'one' })
      assert.equal(own('one'), isSix ? '2001:db8::1' : OWN)
      await dialled('fe80::7', OTHER, '2001:db8:7::1')
      assert.equal(own('one'), isSix ? '2001:db8:7::1' : OTHER)
    })

  it('is that of a tunnel that systemd-networkd keeps, in its files', async () => {
    await rig.made({ ...AUTOMATIC, persistence_type_id: 20 })
    await dialled(OTHER)
    assert.equal(own(), OTHER)
    assert.match(rig.files, new RegExp(`Local=${OTHER}`))
  })

  it('is that of a tunnel that is down, which stays so', async () => {
    await rig.made(AUTOMATIC)
    await act(rig.client, 1, 'down')
    await dialled(OTHER)
    assert.deepEqual([own(), rig.link()?.state?.is_up, (await rig.read()).is_enabled], [OTHER, false, false])
  })

  it('is that of a tunnel whose link is not there, in the record and in what boot brings back', async () => {
    await rig.made(AUTOMATIC)
    rig.panel.host.held.delete('gre-a-1')
    await dialled(OTHER)
    assert.deepEqual([rig.link(), (await rig.read()).local_endpoint], [undefined, OTHER])
    assert.match(rig.files, new RegExp(`local ${OTHER}`))
  })

  it('is that of every automatic tunnel, and of no other', async () => {
    await rig.made({ ...AUTOMATIC, ikey: 1, okey: 1 })
    await rig.made({ ...AUTOMATIC, ikey: 2, okey: 2 })
    await rig.made({ ...AUTOMATIC, ikey: 3, okey: 3, local_endpoint: OWN })
    await dialled(OTHER)
    assert.deepEqual(
      [1, 2, 3].map((at) => own(`gre-a-${at}`)),
      [OTHER, OTHER, OWN],
    )
  })

  it('moves at once with the far end whose name leads elsewhere, in one change', async () => {
    await rig.made({ ...NAMED, local_endpoint: null })
    rig.has('ppp0', `${OTHER}/32`)
    rig.panel.host.hostRoutes.push(fakeRoute(`${TWO}/32`, 'ppp0'))
    const was = rig.panel.host.changes.length
    await rig.leadsTo(TWO)
    assert.deepEqual([own(), rig.farEnd()], [OTHER, TWO])
    assert.deepEqual(
      rig.panel.host.changes.slice(was).filter((change) => change === 'change gre-a-1'),
      ['change gre-a-1'],
    )
    const [entry] = await rig.audited()
    assert.deepEqual(entry?.operations.slice(0, 2), [
      `${NAME} leads to ${TWO}: the far end of gre-a-1 was ${ONE}`,
      `the route to ${TWO} has ${OTHER}: this end of gre-a-1 was ${OWN}`,
    ])
    assert.deepEqual(await rig.audited(MOVED), [])
  })

  it('moves after a far end that leads where there is no route, and keeps its address until then', async () => {
    await rig.made({ ...NAMED, local_endpoint: null })
    rig.panel.host.hostRoutes = [fakeRoute(`${ONE}/32`, 'eth0')]
    await rig.leadsTo(TWO)
    assert.deepEqual([own(), rig.farEnd()], [OWN, TWO])
    assert.match((await rig.read()).local_endpoint_problem, /^The tunnel keeps its last address\. .* no route to 198/)
    await dialled(OTHER)
    assert.deepEqual([own(), rig.farEnd(), (await rig.read()).local_endpoint_problem], [OTHER, TWO, ''])
  })

  it('is in the next pairing code', async () => {
    await rig.made(AUTOMATIC)
    await dialled(OTHER)
    const { summary } = (await rig.client.get<{ summary: { local_endpoint: string } }>('/tunnels/1/pairing-code')).body
    assert.equal(summary.local_endpoint, OTHER)
  })

  it('is followed no more once the tunnel has an address, or is gone', async () => {
    await rig.made({ ...AUTOMATIC, ikey: 1, okey: 1 })
    await rig.made({ ...AUTOMATIC, ikey: 2, okey: 2 })
    await patchTunnel(rig.client, 1, { local_endpoint: OWN })
    await deleteTunnel(rig.client, 2)
    await dialled(OTHER)
    assert.deepEqual([own('gre-a-1'), own('gre-a-2'), (await rig.audited(MOVED)).length], [OWN, undefined, 0])
  })

  it('is followed from the start of the daemon on', async () => {
    await rig.made(AUTOMATIC)
    await rig.panel.localEnds.stop()
    await dialled(OTHER)
    assert.equal(own(), OWN)
    rig.panel.localEnds.start()
    await rig.settled()
    assert.equal(own(), OTHER)
  })

  it('is followed through one address after another', async () => {
    await rig.made(AUTOMATIC)
    for (const address of [OTHER, THIRD, OTHER]) {
      await dialled(address)
      assert.equal(own(), address)
    }
    assert.equal((await rig.audited(MOVED)).length, 3)
  })

  it('is followed within a window, comes back with what is taken back, and is then followed again', async () => {
    const endListening = followWindows(rig.panel)
    await rig.made(AUTOMATIC)
    const { window } = (await rig.client.post<SafeApplyAnswer>('/safe-apply', { seconds: 60 })).body
    await patchTunnel(rig.client, 1, { ttl: 9 })
    await dialled(OTHER)
    assert.equal(own(), OTHER)
    await rig.client.post('/safe-apply/cancel', { window_id: window?.window_id })
    await eventually(async () => (await rig.read()).local_endpoint === OTHER && own() === OTHER, 'it is followed')
    assert.notEqual((await rig.read()).ttl, 9)
    endListening()
  })
})
