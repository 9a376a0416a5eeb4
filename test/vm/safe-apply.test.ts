// The lockout drill on a real kernel: the operator's only way to the panel is a tunnel, he cuts it, and is back without
// anybody's help (reference.md, Safe apply).
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { SafeApplyAnswer, SafeApplyPending } from '@panel/shared/api/safe-apply.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { expect, ON_DISK, OPERATOR, Panel, wholeMachine, type Place } from './panel/panel.ts'
import { CUTS, Ways, type Way } from './safe-apply-ways.ts'
import { repetitions } from '../support/counts.ts'
import { tunnelRequest } from '../support/records.ts'

/** The least that a window takes. */
const SECONDS = 15
const ANSWER_S = 30
const POWER_CUTS = repetitions('PANEL_WINDOW_CUTS')
/** About as long as the four changes take here. */
const CHANGES_MS = 6000
/** A time that ends well before the machine is there again, which then ends the earlier connections. */
const NO_POWER_MS = 1000

type Answered = Partial<{ error: { code: string; field: string; details: { reason?: string } } }> & {
  readonly safe_apply?: SafeApplyPending
}

/** His address is in its subnet. */
const SWALLOWS = {
  ...tunnelRequest({ local_endpoint: '198.51.100.1', remote_endpoint: '198.51.100.9' }),
  interface_name: 'gre-a-9',
  addresses: [{ address: '10.77.0.2', prefix_length: 28 }],
  force: true,
}

describe('An operator whose only way to the panel is a tunnel', function () {
  let lab: Lab
  let panel: Panel<Place>
  let ways: Ways

  const startWeb = (): Promise<void> => panel.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
  before(async () => {
    lab = await startLab()
    panel = new Panel(await wholeMachine(lab), ON_DISK)
    await putPanel(lab)
    await panel.startHelper()
    await startWeb()
    await panel.setUp()
    ways = new Ways(lab, panel)
    await ways.make()
    await ways.moveBehind()
    for (const { inside } of ways.all) assert.ok(await inside.reaches(), 'he reaches the panel')
  })
  after(() => lab?.stop())

  const way = (at: number): Way => ways.all[at] ?? assert.fail()
  /** Within its time and what putting back and a try take on a busy machine. */
  const isBack = async ({ inside }: Way): Promise<void> => {
    const began = performance.now()
    while (!(await inside.reaches()))
      assert.ok(performance.now() - began < (SECONDS + 45) * 1000, 'he is back within the time')
  }
  /** However long a busy machine takes to answer. */
  const isConnected = async ({ inside }: Way): Promise<boolean> =>
    (await inside.request('GET', '/auth/me', undefined, ANSWER_S)).status === 200
  /** How the window ended, once the store has followed: he is back a moment before. */
  const ended = async ({ inside }: Way): Promise<string | undefined> => {
    for (const began = performance.now(); performance.now() - began < 60_000; await sleep(500)) {
      const { status, body } = await inside.request<SafeApplyAnswer>('GET', '/safe-apply', undefined, ANSWER_S)
      if (status === 200 && body.window === null) return body.last?.ended_how
    }
    assert.fail('the window has ended')
  }
  const stored = async (): Promise<unknown> => (await panel.operator.get('/backup/export')).body['tunnels']

  for (const [at, what] of Object.keys(CUTS).entries())
    it(`${what}, is cut off, and is back within the time`, async () => {
      const before = [await ways.picture(), await stored()]
      const { tunnel, cut, inside } = way(at)
      const path = `/tunnels/${tunnel.tunnel_id}${cut.path}`
      const refused = await inside.request<Answered>(cut.method, path, cut.body, ANSWER_S)
      assert.deepEqual([refused.status, refused.body.error?.code], [409, 'WOULD_CUT_OWN_ACCESS'])
      await ways.cutOff(way(at), SECONDS)
      await isBack(way(at))
      assert.equal(await ended(way(at)), 'expired')
      assert.deepEqual([await ways.picture(), await stored()], before)
    })

  it('is back after all of these although the helper is killed in between', async () => {
    const before = [await ways.picture(), await stored()]
    const window_id = await ways.cutAllOff()
    // As if most of its time were over.
    expect(await panel.operator.post('/safe-apply/extend', { window_id, seconds: SECONDS }), 200)
    await panel.replaceHelper()
    for (const one of ways.all) await isBack(one)
    assert.equal(await ended(way(0)), 'expired')
    assert.deepEqual([await ways.picture(), await stored()], before)
  })

  it('is back within the time although the web daemon is killed in between, and stays dead until then', async () => {
    const before = await ways.picture()
    await ways.cutOff(way(3), SECONDS)
    panel.web.kill('KILL')
    await panel.web.exited
    while ((await ways.picture()) !== before) await sleep(500)
    await startWeb()
    await isBack(way(3))
    assert.equal(await ended(way(3)), 'expired')
    assert.equal((await way(3).inside.request('GET', '/tunnels/4', undefined, ANSWER_S)).status, 200)
  })

  it('cannot ask for an MTU that nothing passes, nor for an address that swallows the way back to him', async () => {
    const before = await ways.picture()
    const { inside } = way(0)
    const ask = async (method: string, path: string, body: object): Promise<unknown[]> => {
      const all = { ...body, confirm_within_seconds: SECONDS }
      const { status, body: answer } = await inside.request<Answered>(method, path, all, ANSWER_S)
      return [status, answer.error?.field || answer.error?.details.reason]
    }
    assert.deepEqual(await ask('PATCH', '/tunnels/1', { mtu: 68 }), [422, 'mtu'])
    assert.deepEqual(await ask('POST', '/tunnels', SWALLOWS), [409, 'protected_address'])
    assert.equal(await ways.picture(), before)
    const { body } = await inside.request<SafeApplyAnswer>('GET', '/safe-apply', undefined, ANSWER_S)
    assert.equal(body.window, null)
  })

  it('turns forwarding off and stays connected, since he talks to this host itself, and it comes back', async () => {
    const isOn = async (): Promise<string> => (await lab.read('/proc/sys/net/ipv4/ip_forward')).trim()
    const path = '/system/forwarding/enable'
    expect(await panel.operator.post(path, {}), 200)
    const { inside } = way(0)
    const body = { revert: true }
    const foreseen = await inside.request<ImpactAnswer>('POST', '/impact', { method: 'POST', path, body }, ANSWER_S)
    assert.equal(foreseen.body.impact.own_access.is_affected, false)
    const off = await inside.request<Answered>('POST', path, { ...body, confirm_within_seconds: 300 }, ANSWER_S)
    assert.equal(off.status, 200, JSON.stringify(off.body))
    assert.deepEqual([await isOn(), await isConnected(way(0))], ['0', true])
    const { window_id } = off.body.safe_apply ?? assert.fail('no window')
    assert.equal((await inside.request('POST', '/safe-apply/cancel', { window_id }, ANSWER_S)).status, 200)
    assert.equal(await isOn(), '1')
  })

  it('keeps the least MTU, which does not cut him off, over a connection that he made after it', async () => {
    const { inside, tunnel } = way(0)
    const body = { mtu: 576, confirm_within_seconds: 300 }
    const changed = await inside.request<Answered>('PATCH', '/tunnels/1', body, ANSWER_S)
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    const { window_id } = changed.body.safe_apply ?? assert.fail('no window')
    assert.equal((await inside.request('GET', '/backup/export', undefined, ANSWER_S)).status, 200)
    assert.equal((await inside.request('POST', '/safe-apply/confirm', { window_id }, ANSWER_S)).status, 200)
    assert.equal(await ended(way(0)), 'confirmed')
    assert.match(await lab.run(`ip link show dev ${tunnel.interface_name}`), /mtu 576/)
  })

  const files = (): Promise<string> => lab.run(`cd ${ON_DISK.unitDir} && grep -r '' --include 'tunnel-panel-*'`)
  /** Comes up with the files `kept` before anything is served. */
  const comesUpWith = async (kept: string, before: unknown): Promise<void> => {
    await ways.makeAnew()
    await panel.startHelper()
    assert.equal(await files(), kept)
    await startWeb()
    expect(await panel.operator.post('/auth/login', OPERATOR), 200)
    for (const one of ways.all) await isBack(one)
    assert.deepEqual(await stored(), before)
    const { items } = expect(await panel.operator.get<ReconcileAnswer>('/reconcile'), 200)
    assert.deepEqual(
      items.map(({ status }) => status),
      ways.all.map(() => 'InSync'),
    )
  }

  it('is back after all of these although the power is cut in between, before anything is served', async () => {
    const [before, kept] = [await stored(), await files()]
    await ways.cutAllOff()
    assert.notEqual(await files(), kept)
    await lab.reset()
    await comesUpWith(kept, before)
    assert.equal(await ended(way(0)), 'rebooted')
  })

  for (let cut = 1; cut <= POWER_CUTS; cut += 1)
    it(`is back although the power is cut at any moment of a window (cut ${cut} of ${POWER_CUTS})`, async () => {
      const [before, kept] = [await stored(), await files()]
      const gone = new AbortController()
      const changing = ways.cutAllAtOnce(gone.signal)
      await sleep(Math.random() * CHANGES_MS)
      const back = lab.reset()
      await sleep(NO_POWER_MS)
      gone.abort()
      await Promise.all([back, changing])
      await comesUpWith(kept, before)
      assert.notEqual(await ended(way(0)), 'confirmed')
    })
})
