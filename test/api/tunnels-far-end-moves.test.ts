// Far ends whose names lead to another address (reference.md, Tunnels; decisions.md, T48), before a real DNS server.
import assert from 'node:assert/strict'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { eventually } from '../support/eventually.ts'
import { FarEndRig, NAME, ONE, THREE, TWO } from './support/far-ends.ts'
import { createNetwork, getNetwork, statesOf } from './support/networks.ts'
import { act, deleteTunnel, patchTunnel } from './support/tunnels.ts'
import { followWindows } from './support/windows.ts'

const [SIX, SEVEN] = ['2001:db8::6', '2001:db8::7'] as const

describe('A far end that moves', () => {
  let rig: FarEndRig
  FarEndRig.each((each) => (rig = each))

  it('is followed in place once it was seen twice: the link, what boot brings back and the record have it', async () => {
    const before = await rig.made()
    const [index, was] = [rig.link()?.index, rig.panel.host.changes.length]
    await rig.dns.set({ [NAME]: [TWO] })
    await rig.look(1)
    assert.equal(rig.farEnd(), ONE)
    await rig.look(1)
    assert.deepEqual([rig.farEnd(), rig.link()?.index], [TWO, index])
    assert.deepEqual(
      rig.panel.host.changes.slice(was).filter((change) => /^(create|delete|change) gre-a-1$/.test(change)),
      ['change gre-a-1'],
    )
    assert.match(rig.files, new RegExp(`remote ${TWO}`))
    const { remote_endpoint, remote_hostname, remote_resolved_date, updated_date, apply_status } = await rig.read()
    assert.deepEqual([remote_endpoint, remote_hostname, apply_status], [TWO, NAME, 'Applied'])
    assert.ok((remote_resolved_date ?? '') > (before.remote_resolved_date ?? '') && updated_date > before.updated_date)
  })

  it('is in the audit log, with both addresses', async () => {
    await rig.made()
    await rig.leadsTo(TWO)
    assert.deepEqual(
      (await rig.audited()).map(({ operations: [first], is_success, target_id }) => [first, is_success, target_id]),
      [[`${NAME} leads to ${TWO}: the far end of gre-a-1 was ${ONE}`, true, 1]],
    )
  })

  it('is no drift', async () => {
    await rig.made()
    await rig.leadsTo(TWO)
    const { body } = await rig.client.get<{ items: { status: string }[] }>('/reconcile')
    assert.deepEqual(
      body.items.map(({ status }) => status),
      ['InSync'],
    )
  })

  it('stays where it is while that is among several, in whatever order they come', async () => {
    await rig.made()
    for (const addresses of [
      [ONE, TWO],
      [THREE, TWO, ONE],
    ]) {
      await rig.leadsTo(...addresses)
      assert.equal(rig.farEnd(), ONE)
    }
    await rig.leadsTo(THREE, TWO)
    assert.equal(rig.farEnd(), TWO)
  })

  it('is not followed while the name answers with another address each time', async () => {
    await rig.made()
    for (const address of [TWO, THREE, TWO, THREE]) {
      await rig.dns.set({ [NAME]: [address] })
      await rig.look(1)
      assert.equal(rig.farEnd(), ONE)
    }
  })

  it('keeps its last address where the name does not resolve any more, which is shown after three failures', async () => {
    const { updated_date } = await rig.made()
    await rig.dns.set({})
    await rig.look()
    assert.equal((await rig.read()).remote_hostname_problem, '')
    await rig.look(2)
    const stale = await rig.read()
    assert.deepEqual(
      [rig.farEnd(), stale.remote_hostname_problem, stale.updated_date],
      [ONE, 'far.test does not resolve (ENOTFOUND): the tunnel keeps the last address.', updated_date],
    )
    assert.equal(stale.remote_hostname_problem_message.message_id, 'tunnel.name_last_address')
    await rig.dns.set({ [NAME]: [ONE] })
    await rig.look(1)
    assert.deepEqual([(await rig.read()).remote_hostname_problem, (await rig.audited()).length], ['', 0])
  })

  it('keeps its last address where the name has addresses of the other family alone', async () => {
    await rig.made()
    await rig.dns.set({ [NAME]: [SIX] })
    await rig.look(3)
    assert.deepEqual(
      [rig.farEnd(), (await rig.read()).remote_hostname_problem],
      [ONE, 'far.test has IPv6 addresses only, and this tunnel runs over IPv4: the tunnel keeps the last address.'],
    )
  })

  it('is followed over IPv6, by the addresses of that family', async () => {
    await rig.dns.set({ [NAME]: [ONE, SIX] })
    await rig.made({ tunnel_type_id: 30, local_endpoint: '2001:db8::1', interface_name: 'six' })
    await rig.dns.set({ [NAME]: [TWO, SEVEN] })
    await rig.look(2, 6)
    assert.equal(rig.farEnd('six'), SEVEN)
  })

  it('is followed by a tunnel that is down, which stays so', async () => {
    await rig.made()
    await act(rig.client, 1, 'down')
    await rig.leadsTo(TWO)
    assert.deepEqual([rig.farEnd(), rig.link()?.state?.is_up, (await rig.read()).is_enabled], [TWO, false, false])
  })

  it('is followed by a tunnel whose link is not there, in the record and in what boot brings back', async () => {
    await rig.made()
    rig.panel.host.held.delete('gre-a-1')
    await rig.leadsTo(TWO)
    assert.deepEqual([rig.link(), (await rig.read()).remote_endpoint], [undefined, TWO])
    assert.match(rig.files, new RegExp(`remote ${TWO}`))
  })

  it('is followed by the path of a network, which goes on carrying', async () => {
    await rig.made()
    await createNetwork(rig.client)
    await rig.leadsTo(TWO)
    assert.deepEqual([rig.farEnd(), statesOf((await getNetwork(rig.client, 1)).body)], [TWO, { 'gre-a-1': 'carries' }])
  })

  it('is in the next pairing code', async () => {
    await rig.made()
    await rig.leadsTo(TWO)
    const { summary } = (await rig.client.get<{ summary: { remote_endpoint: string } }>('/tunnels/1/pairing-code')).body
    assert.equal(summary.remote_endpoint, TWO)
  })

  it('is followed by every tunnel of the name', async () => {
    await rig.made({ ikey: 1, okey: 1 })
    await rig.made({ ikey: 2, okey: 2 })
    await rig.leadsTo(TWO)
    assert.deepEqual([rig.farEnd('gre-a-1'), rig.farEnd('gre-a-2')], [TWO, TWO])
  })

  it('is that of another name which the operator gives while the tunnel is being moved', async () => {
    await rig.made()
    await rig.dns.set({ [NAME]: [TWO], 'other.test': [THREE] })
    await rig.look(1)
    const given = { remote_hostname: 'other.test', confirm_recreate: true }
    const [{ status, text }] = await Promise.all([patchTunnel(rig.client, 1, given), rig.look(1)])
    assert.equal(status, 200, text)
    assert.equal(rig.farEnd(), THREE)
    await rig.dns.set({ 'other.test': [ONE] })
    for (const _ of [1, 2]) await rig.panel.farEnds.look('other.test', 4)
    assert.equal(rig.farEnd(), ONE)
  })

  it('is followed no more once the tunnel has an address, or is gone', async () => {
    await rig.made({ ikey: 1, okey: 1 })
    await rig.made({ ikey: 2, okey: 2 })
    await patchTunnel(rig.client, 1, { remote_hostname: null })
    await deleteTunnel(rig.client, 2)
    await rig.panel.farEnds.settled()
    await rig.leadsTo(TWO)
    assert.deepEqual([rig.farEnd('gre-a-1'), rig.farEnd('gre-a-2'), (await rig.audited()).length], [ONE, undefined, 0])
  })

  it('is followed from the start of the daemon on', async () => {
    await rig.made()
    await rig.panel.farEnds.stop()
    rig.panel.farEnds.start()
    await rig.leadsTo(TWO)
    assert.equal(rig.farEnd(), TWO)
  })

  it('is followed within a window, comes back with what is taken back, and is then followed again', async () => {
    const endListening = followWindows(rig.panel)
    await rig.made()
    const { window } = (await rig.client.post<SafeApplyAnswer>('/safe-apply', { seconds: 60 })).body
    await patchTunnel(rig.client, 1, { ttl: 9 })
    await rig.leadsTo(TWO)
    assert.equal(rig.farEnd(), TWO)
    await rig.client.post('/safe-apply/cancel', { window_id: window?.window_id })
    await eventually(async () => (await rig.read()).remote_endpoint === TWO && rig.farEnd() === TWO, 'it is followed')
    assert.notEqual((await rig.read()).ttl, 9)
    endListening()
  })
})
