// Commands that name the window that they are meant for: carried out in it, or refused (reference.md, Safe apply).
import assert from 'node:assert/strict'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import type { Links } from '@panel/root-helper/kernel/facilities.ts'
import { eventually } from '../support/eventually.ts'
import { promised } from '../support/promised.ts'
import { quietly } from '../support/quietly.ts'
import type { Client, Reply } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'
import { createRoute, SMALLEST_RULE } from './support/routes.ts'
import { createTunnel, getTunnel, SMALLEST } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

const NOBODY = 'f'.repeat(32)

describe('A command that names its window', () => {
  quietly()
  let panel: TestPanel
  let operator: Client
  let window_id: string
  beforeEach(async () => {
    ;({ panel, operator } = await startWindowPanel())
    await createTunnel(operator)
    await createRoute(operator)
    window_id = (await open()).window_id
  })
  afterEach(() => panel.close())

  const open = async (body: object = {}) => {
    const { body: answer } = await operator.post<SafeApplyAnswer>('/safe-apply', body)
    return answer.window ?? assert.fail('no window is open')
  }
  const window = async () => (await operator.get<SafeApplyAnswer>('/safe-apply')).body.window
  const named = (id: string) => ({ headers: { 'X-Window': id } })
  const patch = (body: object, id = window_id): Promise<Reply<unknown>> => operator.patch('/tunnels/1', body, named(id))
  const ends = (word: string): Promise<Reply<SafeApplyAnswer>> => operator.post(`/safe-apply/${word}`, { window_id })
  const mtu = async (): Promise<unknown> => (await getTunnel(operator, 1)).body.mtu
  const over = async (): Promise<void> => {
    await panel.windowClock.advance(60_000)
    await eventually(async () => (await window()) === null)
  }

  it('joins it while it is open', async () => {
    assert.equal((await patch({ mtu: 1400 })).status, 200)
    assert.equal((await window())?.changes, 1)
    await over()
    assert.equal(await mtu(), 1472)
  })

  const COMMANDS: readonly (readonly [string, (id: string) => Promise<Reply<unknown>>])[] = [
    ['PATCH /tunnels/{id}', (id) => patch({ mtu: 1400 }, id)],
    ['PATCH /tunnels/{id} of a label alone', (id) => patch({ display_name: 'Bremen' }, id)],
    ['DELETE /tunnels/{id}', (id) => operator.delete('/tunnels/1', {}, named(id))],
    ['POST /tunnels', (id) => operator.post('/tunnels', { ...SMALLEST, remote_endpoint: '198.51.100.88' }, named(id))],
    ['POST /routes', (id) => operator.post('/routes', { ...SMALLEST_RULE, bind_port: 8444 }, named(id))],
    ['PATCH /routes/{id}', (id) => operator.patch('/routes/1', { bind_port: 8445 }, named(id))],
    ['DELETE /routes/{id}', (id) => operator.delete('/routes/1', {}, named(id))],
    ['PUT /settings', (id) => operator.put('/settings', { 'tunnel.default_mtu': 1400 }, named(id))],
    ['DELETE /pools/{id}', (id) => operator.delete('/pools/5', {}, named(id))],
  ]
  for (const [route, send] of COMMANDS)
    it(`is refused once it is over, and changes nothing: ${route}`, async () => {
      await over()
      const store = async (): Promise<string> =>
        JSON.stringify(
          await Promise.all(
            ['/tunnels', '/routes', '/settings', '/pools'].map(async (path) => (await operator.get(path)).body),
          ),
        ).replace(/"(checked_at|sampled_at|seconds_ago|age_seconds)":[^,}]*/g, '')
      const before = [panel.kernel.picture(), await store()]
      for (const id of [window_id, NOBODY]) {
        const { status, error } = await send(id)
        assert.deepEqual([status, error.code], [409, 'SAFE_APPLY_OVER'])
        assert.equal(error.details['ended_how'], id === NOBODY ? null : 'expired')
      }
      assert.deepEqual([panel.kernel.picture(), await store(), await window()], [...before, null])
    })

  it('is refused in another window than its own, which stays as it is', async () => {
    const { error } = await patch({ mtu: 1400 }, NOBODY)
    assert.deepEqual([error.code, error.details['window_id']], ['SAFE_APPLY_OVER', window_id])
    assert.deepEqual([(await window())?.changes, await mtu()], [0, 1472])
  })

  it('is refused at the header if that names none', async () => {
    const { status, error } = await patch({ mtu: 1400 }, 'soon')
    assert.deepEqual([status, error.field], [422, 'X-Window'])
  })

  /** Holds a command where it has read the store and root has changed nothing yet. */
  const held = (): { readonly reached: Promise<void>; readonly go: () => void } => {
    const { links } = panel.kernel as { links: { -readonly [K in keyof Links]: Links[K] } }
    const { interfaces } = links
    const [gate, reached] = [promised(), promised()]
    links.interfaces = async () => {
      links.interfaces = interfaces
      reached.resolve()
      await gate.promise
      return interfaces()
    }
    return { reached: reached.promise, go: gate.resolve }
  }

  it('is refused where the time runs out while it is under way, and nothing is left of it', async () => {
    const picture = panel.kernel.picture()
    const { reached, go } = held()
    const sent = patch({ mtu: 1400 })
    await reached
    await panel.windowClock.advance(60_000)
    await eventually(() => panel.windows.probe().ended !== null)
    go()
    const { status, error } = await sent
    assert.deepEqual([status, error.code, error.details['ended_how']], [409, 'SAFE_APPLY_OVER', 'expired'])
    assert.deepEqual([panel.kernel.picture(), await mtu(), await window()], [picture, 1472, null])
  })

  it('is carried out before what it changes is confirmed, if both come at once', async () => {
    const { reached, go } = held()
    const sent = patch({ mtu: 1400 })
    await reached
    const confirmed = ends('confirm')
    await operator.get('/safe-apply')
    assert.equal(panel.windows.probe().window?.window_id, window_id)
    go()
    assert.deepEqual([(await sent).status, await mtu()], [200, 1400])
    // The confirmation came over a connection from before the change.
    assert.equal((await confirmed).error.code, 'SAFE_APPLY_SAME_CONNECTION')
    assert.equal((await ends('confirm')).body.last?.ended_how, 'confirmed')
  })

  describe('of which the time begins with the first change', () => {
    beforeEach(async () => {
      await ends('cancel')
      window_id = (await open({ seconds: 30, starts: 'first_change' })).window_id
    })
    const waits = async () => {
      const { is_waiting, seconds_left, changes } = (await window()) ?? assert.fail()
      return [is_waiting, seconds_left, changes]
    }

    it('starts it, by what changes the host or the store alone', async () => {
      assert.deepEqual(await waits(), [true, 3600, 0])
      assert.equal((await patch({ mtu: 1400 })).status, 200)
      assert.deepEqual(await waits(), [false, 30, 1])
    })

    for (const [what, send] of [
      ['a setting', () => operator.put('/settings', { 'tunnel.default_mtu': 1400 }, named(window_id))],
      ['a label', () => patch({ display_name: 'Bremen' })],
      ['a setting of a client that names no window', () => operator.put('/settings', { 'tunnel.default_mtu': 1400 })],
    ] as const)
      it(`starts it by ${what} too`, async () => {
        assert.equal((await send()).status, 200)
        assert.deepEqual(await waits(), [false, 30, 0])
      })

    it('does not start it if it is refused', async () => {
      assert.equal((await patch({ mtu: 5 })).status, 422)
      assert.equal((await operator.put('/settings', { 'tunnel.default_mtu': 5 }, named(window_id))).status, 422)
      assert.deepEqual(await waits(), [true, 3600, 0])
    })

    it('finds it over after an hour without a change', async () => {
      await panel.windowClock.advance(3_600_000)
      await eventually(async () => (await window()) === null)
      assert.equal((await patch({ mtu: 1400 })).error.code, 'SAFE_APPLY_OVER')
      const { last } = (await operator.get<SafeApplyAnswer>('/safe-apply')).body
      assert.deepEqual([last?.ended_how, last?.items], ['expired', []])
    })
  })
})
