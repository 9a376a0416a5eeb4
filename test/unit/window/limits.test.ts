// How much one window takes back: what goes beyond is refused before anything is done (safe apply, bad input).
import assert from 'node:assert/strict'
import type { Change } from '@panel/shared/change/change.ts'
import type { Fold } from '@panel/shared/change/fold.ts'
import { WINDOW_RULES_MAX, WINDOW_TUNNELS_MAX } from '@panel/shared/window/model.ts'
import { WINDOW_FILE, WindowRecord } from '@panel/root-helper/window/record.ts'
import { IN_ROTATION } from '@panel/shared/ruleset/model.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { exampleTunnel } from '../../support/example.ts'
import { quietly } from '../../support/quietly.ts'
import { ID, Root } from './root.ts'

const TOO_MUCH = { code: 'irreversible', message: /more to take back than one window holds: confirm what is there/ }
const tunnel = exampleTunnel()
const rule = exampleRule()
const SOURCES = Array.from(
  { length: 256 },
  (_, n) => `2001:db8:1111:2222:3333:4444:5555:${(n + 0x1000).toString(16)}/128`,
)

const wordy = exampleRule({
  bind_address: '2001:db8::1',
  destinations: [{ address: '2001:db8::2', port: 443, port_range_end: null, weight: 1, ...IN_ROTATION }],
  allowed_sources: SOURCES,
})

describe('A window that is full', function () {
  quietly()

  /** Killed with an open window that holds `folds` already, and started again. */
  const startedWith = async (noun: string, fold: Fold<unknown>): Promise<Root> => {
    const root = new Root()
    await root.start()
    const deadline = root.clock.now() + 60_000
    const times = { seconds: 60, deadline, changed: 0, boot_id: root.boot }
    const record = new WindowRecord(root.folder)
    await record.write({
      window_id: ID,
      ...times,
      is_waiting: false,
      changes: fold.size,
      how: null,
      folds: { [noun]: fold },
    })
    return root.start()
  }
  const refuses = async (root: Root, change: () => Promise<unknown>): Promise<void> => {
    const before = [root.picture(), root.windows.probe(), root.folder.read(WINDOW_FILE)]
    await assert.rejects(change(), TOO_MUCH)
    assert.deepEqual([root.picture(), root.windows.probe(), root.folder.read(WINDOW_FILE)], before)
  }

  it('of tunnels takes no other tunnel, and one that it knows', async () => {
    const names = Array.from({ length: WINDOW_TUNNELS_MAX }, (_, n) => `gre-n-${n}`)
    const fold = new Map(names.map((name) => [name, { before: null, after: exampleTunnel({}, name) }]))
    const root = await startedWith('tunnel', fold)
    await refuses(root, () => root.tunnel(null, tunnel))
    const known = exampleTunnel({}, names[0])
    assert.equal((await root.tunnel(null, known)).outcome, 'applied')
    assert.equal((await root.rules([], [rule])).outcome, 'applied')
  })

  it('of rules takes no other rule, however many there are at once', async () => {
    const side = (id: number) => ({ rule: { ...rule, route_rule_id: id }, boot: null, piece: null })
    const ids = Array.from({ length: WINDOW_RULES_MAX - 1 }, (_, n) => n + 10)
    const fold = new Map(ids.map((id) => [`${id}`, { before: null, after: side(id) }]))
    const root = await startedWith('ruleset', fold)
    const second = exampleRule({ route_rule_id: 2, bind_port: 444, sort_order: 2 })
    await refuses(root, () => root.rules([], [rule, second]))
    assert.equal((await root.rules([], [rule])).outcome, 'applied')
  })

  it('of 32 MiB takes nothing more, however few they are', async () => {
    const large = (id: number) => ({
      rule: { ...wordy, route_rule_id: id, bind_port: 1000 + id, sort_order: id },
      boot: null,
      piece: null,
    })
    const fold = new Map<string, Change<unknown>>()
    const each = JSON.stringify(large(1000)).length
    for (let id = 10; fold.size * each < 32 * 1024 * 1024 - 2 * each; id += 1)
      fold.set(`${id}`, { before: null, after: large(id) })
    const root = await startedWith('ruleset', fold)
    const held = root.folder.read(WINDOW_FILE)?.length ?? 0
    assert.ok(held < 32 * 1024 * 1024 && held > 31 * 1024 * 1024, `${held} bytes`)
    const many = [1, 2, 3, 4, 5].map((id) => large(id).rule)
    await refuses(root, () => root.rules([], many))
    assert.equal((await root.rules([], [rule])).outcome, 'applied')
  })

  it('is not: 10,000 rules join it in ten changes, and all of them go again', async () => {
    const root = await new Root().start()
    await root.rules([], [rule])
    const opening = root.picture()
    await root.open()
    const all = Array.from({ length: 10_000 }, (_, n) =>
      exampleRule({ route_rule_id: n + 2, bind_port: 1000 + n, sort_order: n + 2 }),
    )
    for (let from = 0; from < all.length; from += 1000) await root.rules([], all.slice(from, from + 1000))
    const { window } = root.windows.probe()
    assert.deepEqual([window?.changes, window?.route_rule_ids.length], [10, 10_000])
    await root.handlers['window.cancel']({ window_id: ID })
    assert.equal(root.picture(), opening)
  })
})
