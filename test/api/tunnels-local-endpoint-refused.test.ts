// Own ends whose route has an address that the tunnel cannot take (reference.md, Tunnels; decisions.md, T49).
import assert from 'node:assert/strict'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { LOST } from '@panel/shared/events/model.ts'
import { exampleConfig } from '../support/example.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { fakeInterface } from '../support/fake-interfaces.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import { onlyAt } from '../support/faulty.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { FarEndRig, ONE } from './support/far-ends.ts'
import { requestThrough, startPanel } from './support/panel.ts'
import { createTunnel, deleteTunnel, getTunnel } from './support/tunnels.ts'
import { followWindows } from './support/windows.ts'

const [OWN, OTHER, THIRD] = ['192.0.2.1', '203.0.113.7', '203.0.113.8'] as const
const MOVED = 'TunnelLocalMoved'
const AUTOMATIC = { local_endpoint: null, remote_hostname: undefined, remote_endpoint: ONE, ikey: 7, okey: 7 } as const

describe('An own end that cannot follow its route', () => {
  let rig: FarEndRig
  FarEndRig.each((each) => (rig = each))

  const own = (): string | undefined => rig.link()?.state?.config.local_endpoint
  const problem = async (): Promise<string> => (await rig.read()).local_endpoint_problem
  const led = async (address: string): Promise<void> => {
    rig.has('eth0', `${address}/24`)
    await rig.announced('address')
  }

  for (const [what, route] of [
    ['a loopback address', { ...fakeRoute('0.0.0.0/0', 'eth0'), source: '127.0.0.5' }],
    ['a link-local address', { ...fakeRoute('0.0.0.0/0', 'eth0'), source: '169.254.0.5' }],
  ] as const)
    it(`never is ${what}: that is reported once, and changes no record`, async () => {
      const { updated_date } = await rig.made(AUTOMATIC)
      await rig.routed(route)
      for (const _ of [1, 2]) await rig.announced('route')
      const shown = await rig.read()
      assert.deepEqual([own(), shown.updated_date], [OWN, updated_date])
      assert.match(
        shown.local_endpoint_problem,
        new RegExp(`^The route to the other server has ${route.source} now, and the tunnel cannot follow\\.`),
      )
      assert.deepEqual(
        (await rig.audited(MOVED)).map(({ is_success }) => is_success),
        [false],
      )
      await rig.routed(fakeRoute('0.0.0.0/0', 'eth0'))
      assert.equal(await problem(), '')
    })

  it('never is an address of the tunnel itself: it keeps the last one', async () => {
    await rig.made(AUTOMATIC)
    await rig.routed(fakeRoute('0.0.0.0/0', 'gre-a-1'))
    assert.equal(own(), OWN)
    assert.match(await problem(), /leads through the tunnel itself, by gre-a-1\./)
    assert.deepEqual(await rig.audited(MOVED), [])
  })

  it('waits while another tunnel has the same ends and key, and is moved once that is gone', async () => {
    const { updated_date } = await rig.made(AUTOMATIC)
    await createTunnel(rig.client, { local_endpoint: OTHER, remote_endpoint: ONE, ikey: 7, okey: 7 })
    await led(OTHER)
    await rig.announced('route')
    const waiting = await rig.read()
    assert.deepEqual([own(), waiting.updated_date], [OWN, updated_date])
    assert.match(
      waiting.local_endpoint_problem,
      /the tunnel cannot follow\. Refused: gre-a-2 already runs between these/,
    )
    assert.equal((await rig.audited(MOVED)).length, 1)
    await deleteTunnel(rig.client, 2)
    await rig.settled()
    assert.deepEqual([own(), await problem(), (await rig.audited(MOVED)).length], [OTHER, '', 2])
  })

  it('waits while a link that is not of the panel has the same ends, and the record is marked once', async () => {
    await rig.made(AUTOMATIC)
    const config = { ...exampleConfig, local_endpoint: OTHER, remote_endpoint: ONE, ikey: 7, okey: 7 }
    const foreign = { index: 77, kind: 'gre', state: { is_up: true, config: { ...config, addresses: [] } } }
    rig.panel.host.held.set('theirs', { ...foreign, unmodelled: [] })
    await led(OTHER)
    const refused = await rig.read()
    assert.equal(own(), OWN)
    assert.match(refused.local_endpoint_problem, /cannot follow\. .*theirs/)
    for (const _ of [1, 2, 3]) await rig.announced('link')
    assert.deepEqual([(await rig.read()).updated_date, (await rig.audited(MOVED)).length], [refused.updated_date, 1])
    rig.panel.host.held.delete('theirs')
    rig.panel.clock.advance(60)
    await rig.announced('link')
    assert.deepEqual([own(), await problem()], [OTHER, ''])
  })

  it('is put back where a step fails, reported once, and tried again with the next event after a while', async () => {
    await rig.made(AUTOMATIC)
    rig.panel.arm(onlyAt(2, 'refuses'))
    await led(OTHER)
    assert.deepEqual([own(), (await rig.read()).apply_status], [OWN, 'Failed'])
    rig.panel.disarm()
    await rig.announced('link')
    assert.deepEqual([own(), (await rig.audited(MOVED)).length], [OWN, 1])
    rig.panel.clock.advance(31)
    await rig.announced('link')
    assert.deepEqual([own(), (await rig.read()).apply_status, (await rig.audited(MOVED)).length], [OTHER, 'Applied', 2])
  })

  it('is moved at once to yet another address after one that was refused', async () => {
    await rig.made(AUTOMATIC)
    rig.panel.arm(onlyAt(2, 'refuses'))
    await led(OTHER)
    rig.panel.disarm()
    await led(THIRD)
    assert.equal(own(), THIRD)
  })

  it('waits while the root helper is away, and is moved once that is back', async () => {
    const kernel = new FakeKernel()
    const request = requestThrough(inProcessHelper(kernel).request)
    let isAway = false
    const other = await startPanel({
      request: (...sent) => (isAway ? Promise.reject(helperAway('ENOENT')) : request(...sent)),
    })
    const operator = await other.setUp()
    other.localEnds.start()
    await createTunnel(operator, { local_endpoint: null })
    await other.localEnds.settled()
    isAway = true
    kernel.hostInterfaces = [fakeInterface('eth0', 2, 'physical', [`${OTHER}/24`])]
    const announce = async (): Promise<void> => {
      other.bus.publish('host.changed', { events: [LOST] })
      await other.localEnds.settled()
    }
    await announce()
    assert.equal((await getTunnel(operator, 1)).body.local_endpoint, OWN)
    isAway = false
    await announce()
    assert.equal(kernel.held.get('gre-a-1')?.state?.config.local_endpoint, OTHER)
    await other.close()
  })

  it('corrects no drift, and leaves an address that was set by hand', async () => {
    await rig.made(AUTOMATIC)
    const config = rig.link()?.state?.config
    assert.ok(config)
    config.mtu = 1300
    await led(OTHER)
    assert.deepEqual([own(), rig.link()?.state?.config.mtu], [OTHER, 1300])
    Object.assign(rig.link()?.state?.config ?? {}, { local_endpoint: '192.0.2.99' })
    await led(THIRD)
    assert.deepEqual([own(), (await rig.read()).local_endpoint], ['192.0.2.99', THIRD])
  })

  it('does not count as a change of a window that is to be confirmed while only its problem is stored', async () => {
    const endListening = followWindows(rig.panel)
    await rig.made(AUTOMATIC)
    const { window } = (await rig.client.post<SafeApplyAnswer>('/safe-apply', { seconds: 60 })).body
    await rig.routed()
    assert.notEqual(await problem(), '')
    const { body } = await rig.client.post<SafeApplyAnswer>('/safe-apply/confirm', { window_id: window?.window_id })
    assert.deepEqual(body.last?.items ?? [], [])
    endListening()
  })
})
