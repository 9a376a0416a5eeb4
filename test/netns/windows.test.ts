// kill -9 of a real helper at random moments of a window, on this machine's nftables: the host ends as it was when the
// window was opened, or as it was confirmed, and the helper says which. PANEL_WINDOW_KILLS says how often.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MethodName, Params, Result } from '@panel/shared/rpc/methods.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { eventually } from '../support/eventually.ts'
import { BUNDLE } from '../../packaging/build/build.ts'
import { askOnce, isListening } from '../../packaging/run/ask-once.ts'
import { HELPER_FLAGS } from '../../packaging/run/node-flags.ts'
import { repetitions } from '../support/counts.ts'
import { exampleRule } from '../support/example-rule.ts'
import { namespaceOf } from './own-namespace.ts'

const KILLS = repetitions('PANEL_WINDOW_KILLS')
/** How long a round takes at most, from the first request on. */
const ROUND_MS = 250

const random = (most: number): number => Math.floor(Math.random() * most)
const rule = (id: number): RelayRule =>
  exampleRule({ route_rule_id: id, sort_order: id, bind_port: 1000 + 100 * id + random(90) })

describe('A window of a real helper', function () {
  const folder = mkdtempSync(join(tmpdir(), 'panel-windows-'))
  const socket = join(folder, 'helper.sock')
  const env = {
    ...process.env,
    PANEL_HELPER_SOCKET: socket,
    PANEL_UNIT_DIR: join(folder, 'units'),
    PANEL_NETWORKD_DIR: join(folder, 'network'),
    PANEL_SYSCTL_DIR: join(folder, 'sysctl'),
    PANEL_HELPER_STATE_DIR: join(folder, 'state'),
  }
  /** Keeps the namespace while no helper runs. */
  let anchor: ChildProcess
  let helper: ChildProcess

  const start = async (): Promise<void> => {
    rmSync(socket, { force: true })
    const program = [process.execPath, ...HELPER_FLAGS, join(BUNDLE, 'helper.cjs')]
    helper = spawn('nsenter', [`--net=${namespaceOf(anchor)}`, ...program], { env, stdio: 'ignore' })
    // The file is there before anybody listens at it.
    await eventually(() => isListening(socket), 'the helper listens')
  }
  const kill = async (): Promise<void> => {
    const ended = once(helper, 'exit')
    helper.kill('SIGKILL')
    await ended
  }
  const ask = <M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> =>
    askOnce(socket, method, params)
  const held = async (): Promise<RelayRule[]> => {
    const { rules, damaged } = await ask('ruleset.probe', { route_rule_ids: [], from_id: 0 })
    assert.deepEqual(damaged, [])
    return rules
  }
  /** All that a change of these tests may touch. */
  const picture = async (): Promise<string> => JSON.stringify([await held(), (await ask('forwarding.probe', {})).state])

  before(async () => {
    anchor = spawn('unshare', ['--net', 'sleep', 'infinity'])
    await start()
    await ask('ruleset.apply', { before: null, after: [rule(1), rule(2)] })
  })
  after(async () => {
    await kill()
    anchor.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  /** One change of rules or of forwarding, whatever there is. */
  const change = async (): Promise<void> => {
    if (random(4) === 0) {
      const { state } = await ask('forwarding.probe', {})
      await ask('forwarding.apply', {
        before: state,
        after: { ...state, live: { ...state.live, ipv4: !state.live.ipv4 } },
      })
      return
    }
    const id = 1 + random(4)
    const before = (await held()).filter(({ route_rule_id }) => route_rule_id === id)
    const after = before.length > 0 && random(3) === 0 ? [] : [rule(id)]
    await ask('ruleset.apply', {
      before: before.length > 0 ? before : null,
      after: after.length > 0 ? after : null,
    })
  }

  interface Round {
    readonly window_id: string
    readonly opening: string
    /** What the host held when its confirmation was requested; null where it never was. */
    confirming: string | null
    isOpened: boolean
  }

  /** A window, some changes in it, and an end or none. What the kill cuts off is an error of the connection. */
  const live = async (round: Round): Promise<void> => {
    const { window_id } = round
    await ask('window.open', { window_id, seconds: 60 })
    round.isOpened = true
    for (let changes = random(4); changes > 0; changes -= 1) await change()
    const end = random(3)
    if (end === 0) await ask('window.cancel', { window_id })
    if (end === 1) {
      round.confirming = await picture()
      await ask('window.confirm', { window_id })
    }
  }

  it(`ends as it began or as it was confirmed, and says so, after each of ${KILLS} kills`, async () => {
    const seen = { open: 0, ended: 0, confirmed: 0, never: 0 }
    for (let times = 0; times < KILLS; times += 1) {
      const opening = await picture()
      const round: Round = {
        window_id: randomBytes(16).toString('hex'),
        opening,
        confirming: null,
        isOpened: false,
      }
      const lived = live(round).catch(() => undefined)
      await sleep(random(ROUND_MS))
      await kill()
      await lived
      await start()
      const { window, ended } = await ask('window.probe', {})
      const { window_id } = round
      const reported = `round ${times}: ${JSON.stringify({ window, ended, round })}`
      if (window) {
        assert.deepEqual([window.window_id, window.state], [window_id, 'open'], reported)
        const after = await ask('window.cancel', { window_id })
        assert.equal(after.ended?.how, 'cancelled', reported)
        assert.equal(await picture(), opening, reported)
        seen.open += 1
      } else if (ended) {
        assert.deepEqual([ended.window_id, ended.how], [window_id, 'cancelled'], reported)
        assert.equal(await picture(), opening, reported)
        seen.ended += 1
      } else {
        assert.equal(await picture(), round.confirming ?? opening, reported)
        assert.ok(round.confirming !== null || !round.isOpened, reported)
        seen[round.confirming === null ? 'never' : 'confirmed'] += 1
      }
      await ask('window.forget', { window_id })
    }
    // Otherwise the moments were not at random.
    assert.ok(seen.open > 0 && seen.open < KILLS, JSON.stringify(seen))
  })
})
