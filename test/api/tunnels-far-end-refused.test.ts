// Far ends whose names lead to what a tunnel cannot follow (reference.md, Tunnels; decisions.md, T48).
import assert from 'node:assert/strict'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { LOST } from '@panel/shared/events/model.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { exampleConfig } from '../support/example.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import { onlyAt } from '../support/faulty.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { FarEndRig, NAME, NAMED, ONE, THREE, TWO } from './support/far-ends.ts'
import { requestThrough, startPanel } from './support/panel.ts'
import { set } from './support/settings.ts'
import { createTunnel, deleteTunnel, getTunnel } from './support/tunnels.ts'
import { followWindows } from './support/windows.ts'

describe('A far end that cannot be followed', () => {
  let rig: FarEndRig
  FarEndRig.each((each) => (rig = each))

  for (const [what, address] of [
    ['an address of this server', '192.0.2.1'],
    ['a loopback address', '127.0.0.1'],
    ['a multicast address', '239.1.1.1'],
  ] as const)
    it(`never is ${what}: that is reported once, and changes no record`, async () => {
      const { updated_date } = await rig.made()
      await rig.leadsTo(address)
      await rig.look(3)
      const shown = await rig.read()
      assert.deepEqual([rig.farEnd(), shown.updated_date], [ONE, updated_date])
      assert.match(
        shown.remote_hostname_problem,
        new RegExp(`^far\\.test leads to ${address} now, and the tunnel cannot`),
      )
      assert.deepEqual(
        (await rig.audited()).map(({ is_success }) => is_success),
        [false],
      )
      await rig.leadsTo(ONE)
      assert.equal((await rig.read()).remote_hostname_problem, '')
    })

  it('waits while another tunnel has the same ends and key, and is followed once that is gone', async () => {
    const { updated_date } = await rig.made({ ikey: 7, okey: 7 })
    await createTunnel(rig.client, { remote_endpoint: TWO, ikey: 7, okey: 7 })
    await rig.leadsTo(TWO)
    await rig.look(2)
    const waiting = await rig.read()
    assert.deepEqual([rig.farEnd(), waiting.updated_date], [ONE, updated_date])
    assert.match(
      waiting.remote_hostname_problem,
      /the tunnel cannot follow\. Refused: gre-a-2 already runs between these/,
    )
    assert.equal((await rig.audited()).length, 1)
    await deleteTunnel(rig.client, 2)
    await rig.panel.farEnds.settled()
    assert.deepEqual(
      [rig.farEnd(), (await rig.read()).remote_hostname_problem, (await rig.audited()).length],
      [TWO, '', 2],
    )
  })

  it('waits while a link that is not of the panel has the same ends, and the record is marked once', async () => {
    await rig.made({ ikey: 7, okey: 7 })
    const config = { ...exampleConfig, local_endpoint: '192.0.2.1', remote_endpoint: TWO, ikey: 7, okey: 7 }
    const foreign = { index: 77, kind: 'gre', state: { is_up: true, config: { ...config, addresses: [] } } }
    rig.panel.host.held.set('theirs', { ...foreign, unmodelled: [] })
    await rig.leadsTo(TWO)
    const refused = await rig.read()
    assert.equal(rig.farEnd(), ONE)
    assert.match(refused.remote_hostname_problem, /cannot follow\. .*theirs/)
    rig.panel.clock.advance(60)
    await rig.look(3)
    assert.deepEqual([(await rig.read()).updated_date, (await rig.audited()).length], [refused.updated_date, 1])
    rig.panel.host.held.delete('theirs')
    rig.panel.clock.advance(60)
    rig.panel.bus.publish('host.changed', { events: [LOST] })
    await rig.panel.farEnds.settled()
    assert.deepEqual([rig.farEnd(), (await rig.read()).remote_hostname_problem], [TWO, ''])
  })

  it('never is an address that is reached through the tunnel itself', async () => {
    await rig.made()
    rig.panel.host.hostRoutes.push(fakeRoute('198.51.100.8/32', 'gre-a-1'))
    await rig.leadsTo(TWO)
    assert.equal(rig.farEnd(), ONE)
    assert.match(
      (await rig.read()).remote_hostname_problem,
      /198\.51\.100\.8\/32 holds the remote endpoint: the tunnel/,
    )
  })

  it('waits while the root helper is away, and is followed once that is back', async () => {
    const kernel = new FakeKernel()
    const request = requestThrough(inProcessHelper(kernel).request)
    let isAway = false
    const other = await startPanel({
      request: (...sent) => (isAway ? Promise.reject(helperAway('ENOENT')) : request(...sent)),
    })
    const operator = await other.setUp()
    await set(operator, { 'routes.dns_servers': [rig.dns.address] })
    other.farEnds.start()
    const { updated_date } = (await createTunnel(operator, NAMED)).body.tunnel
    await other.farEnds.settled()
    isAway = true
    await rig.dns.set({ [NAME]: [TWO] })
    for (const _ of [1, 2, 3]) await other.farEnds.look(NAME, 4)
    const waiting = (await getTunnel(operator, 1)).body
    assert.deepEqual([waiting.remote_endpoint, waiting.updated_date], [ONE, updated_date])
    assert.match(
      waiting.remote_hostname_problem,
      /^far\.test leads to 198\.51\.100\.8 now, and the tunnel cannot follow\./,
    )
    isAway = false
    other.bus.publish('host.changed', { events: [LOST] })
    await other.farEnds.settled()
    assert.equal(kernel.held.get('gre-a-1')?.state?.config.remote_endpoint, TWO)
    await other.close()
  })

  it('is put back where a step fails, reported once, and tried again after an hour', async () => {
    await rig.made()
    rig.panel.arm(onlyAt(2, 'refuses'))
    await rig.leadsTo(TWO)
    assert.deepEqual([rig.farEnd(), (await rig.read()).apply_status], [ONE, 'Failed'])
    await rig.look(2)
    assert.equal((await rig.audited()).length, 1)
    rig.panel.disarm()
    await rig.look(1)
    assert.equal(rig.farEnd(), ONE)
    rig.panel.clock.advance(3601)
    rig.client = await rig.panel.signIn()
    await rig.look(1)
    assert.deepEqual([rig.farEnd(), (await rig.read()).apply_status, (await rig.audited()).length], [TWO, 'Applied', 2])
  })

  it('leaves a link that another program has made under its name as it is', async () => {
    await rig.made()
    const theirs = { index: 9, kind: 'dummy', state: null, unmodelled: [] }
    rig.panel.host.held.set('gre-a-1', theirs)
    await rig.leadsTo(TWO)
    assert.deepEqual(rig.link(), theirs)
  })

  it('corrects no drift, and leaves a far end that was set by hand', async () => {
    await rig.made()
    const config = rig.link()?.state?.config
    assert.ok(config)
    config.mtu = 1300
    await rig.leadsTo(TWO)
    assert.deepEqual([rig.farEnd(), rig.link()?.state?.config.mtu], [TWO, 1300])
    Object.assign(rig.link()?.state?.config ?? {}, { remote_endpoint: THREE })
    await rig.leadsTo(ONE)
    assert.deepEqual([rig.farEnd(), (await rig.read()).remote_endpoint], [THREE, ONE])
  })

  it('does not count as a change of a window that is to be confirmed while only its problem is stored', async () => {
    const endListening = followWindows(rig.panel)
    await rig.made()
    const { window } = (await rig.client.post<SafeApplyAnswer>('/safe-apply', { seconds: 60 })).body
    await rig.leadsTo('127.0.0.1')
    assert.notEqual((await rig.read()).remote_hostname_problem, '')
    const { body } = await rig.client.post<SafeApplyAnswer>('/safe-apply/confirm', { window_id: window?.window_id })
    assert.deepEqual(body.last?.items ?? [], [])
    endListening()
  })
})
