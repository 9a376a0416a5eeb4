// A table of ours that the kernel keeps others off: connections outlive whatever others do to the ruleset.
import assert from 'node:assert/strict'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, ruleOfRig as rule, SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const FLOWS = 50
/** Two destinations: it has a chain of its own, which nft compiles. */
const balanced = (route_rule_id: number, fields: Partial<RelayRule> = {}): RelayRule =>
  rule(route_rule_id, {
    balance: 'round_robin',
    destinations: [ONE, TWO].map((address) => ({ address, port: 80, port_range_end: null, weight: 1, ...IN_ROTATION })),
    ...fields,
  })
const tcp = (port: number): Place => ({ protocol: 'tcp', address: RELAY, port })

describe('Relay rules in a table that the helper owns', function () {
  const rig = new RelayRig({}, { canFail: true })
  const protect = (wanted: boolean) => askOnce(rig.socket, 'ruleset.protect', { wanted })
  const protection = async () =>
    (await askOnce(rig.socket, 'host.probe', { parts: ['rule_backend'] })).rule_backend?.protection
  /** Whether the kernel let it happen. */
  const others = (command: string): boolean => {
    try {
      rig.relay.nft(`${command}\n`)
      return true
    } catch (refused) {
      assert.match(String((refused as { stderr: string }).stderr), /Operation not permitted/)
      return false
    }
  }
  const answering = (expected = FLOWS) => rig.client.calls.answering(expected)

  before(async () => {
    await rig.open()
    for (const address of [ONE, TWO]) await rig.servers.calls.listen({ protocol: 'tcp', address, port: 80 })
  })
  after(() => rig.close())

  it('have none until it is wanted, and are protected from the first rule on', async () => {
    assert.equal((await protection())?.how, 'none')
    assert.match((await protect(true)).detail, /^There is no table/)
    await rig.become(rule(1))
    assert.equal((await protection())?.how, 'owned')
  })

  it('leave no table where nft refuses the first of them, and stay protected where it refuses another', async () => {
    rig.tools.fail('refuses a line')
    assert.notEqual((await rig.apply([rule(1)], [rule(1), balanced(5)])).outcome, 'applied')
    assert.equal(others('delete table inet panel'), false)
    await protect(false)
    assert.equal(others('delete table inet panel'), true)
    await protect(true)
    assert.notEqual((await rig.apply([], [balanced(5)])).outcome, 'applied')
    assert.equal(rig.relay.run('nft', ['list', 'tables']), '')
    rig.tools.mend()
    await rig.become(rule(1))
    // The process of the first helper holds the namespace; it lets go of the table, so that the next one can be killed.
    await protect(false)
    await rig.restartHelper()
    assert.equal((await protect(true)).how, 'owned')
  })

  it('cannot be flushed or changed by others, and no connection notices', async () => {
    assert.equal(await rig.client.calls.gather(FLOWS, tcp(1001)), FLOWS)
    assert.equal(others('flush ruleset'), true)
    for (const change of ['delete table', 'flush table', 'flush map', 'add chain']) {
      const what = { 'flush map': ' relay_to4', 'add chain': ' theirs' }[change] ?? ''
      assert.equal(others(`${change} inet panel${what}`), false, change)
    }
    assert.equal(others('add table ip theirs; delete table ip theirs'), true)
    assert.equal(await answering(), FLOWS)
    assert.equal((await rig.client.calls.talk(tcp(1001)))?.server, `${ONE} 80`)
  })

  it('change at the request of the panel, by netlink and by nft, and stay protected', async () => {
    await rig.become(rule(1), rule(2))
    await rig.become(rule(1), rule(2), balanced(3))
    await rig.become(rule(1), balanced(3, { bind_port: 1004 }))
    assert.deepEqual((await rig.held()).rules, [rule(1), balanced(3, { bind_port: 1004 })])
    assert.equal((await rig.client.calls.talk(tcp(1004))) !== null, true)
    assert.equal(others('delete table inet panel'), false)
    assert.equal(await answering(), FLOWS)
  })

  it('change in a window, whose rehearsal nft does, and are put back by it', async () => {
    const window_id = 'a'.repeat(32)
    await askOnce(rig.socket, 'window.open', { window_id, seconds: 60 })
    await rig.become(rule(1), balanced(3))
    assert.equal(others('delete table inet panel'), false)
    await askOnce(rig.socket, 'window.cancel', { window_id })
    assert.deepEqual((await rig.held()).rules, [rule(1), balanced(3, { bind_port: 1004 })])
    await askOnce(rig.socket, 'window.forget', { window_id }).catch(() => undefined)
    assert.equal((await protection())?.how, 'owned')
    assert.equal(await answering(), FLOWS)
  })

  it('outlive the helper that owned them, and the next one takes them up by itself', async () => {
    await rig.restartHelper()
    assert.equal((await protection())?.how, 'owned')
    assert.equal(others('delete table inet panel'), false)
    assert.deepEqual((await rig.held()).rules, [rule(1), balanced(3, { bind_port: 1004 })])
    assert.equal(await answering(), FLOWS)
  })

  it('are anybody’s again where it is no longer wanted, and taken again where it is', async () => {
    assert.match((await protect(false)).detail, /^Protection is off in the settings/)
    assert.equal(others('add chain inet panel theirs'), true)
    assert.equal(others('delete chain inet panel theirs'), true)
    await rig.become(rule(1), rule(2), balanced(3))
    assert.equal((await protect(true)).how, 'owned')
    assert.equal(await answering(), FLOWS)
  })

  it('of a table that was made without it can be flushed: connections live on until it is recreated, and owned', async () => {
    await protect(false)
    assert.equal(others('delete table inet panel'), true)
    await rig.client.calls.disperse()
    await rig.become(rule(1))
    assert.equal((await protect(true)).how, 'held')
    assert.match(rig.relay.run('nft', ['list', 'table', 'inet', 'panel_hold']), /flags owner\n/)
    assert.equal(others('delete table inet panel_hold'), false)
    const { managers, chains } = await askOnce(rig.socket, 'netfilter.probe', {})
    assert.deepEqual([managers, chains], [[], []], 'it is nobody else’s')
    assert.equal(await rig.client.calls.gather(FLOWS, tcp(1001)), FLOWS)
    assert.equal(others('flush ruleset'), true)
    assert.equal((await rig.held()).is_present, false)
    assert.equal(await answering(), FLOWS, 'while nothing relays them')
    assert.equal(await rig.client.calls.talk(tcp(1001)), null)
    await rig.become(rule(1), balanced(3))
    assert.equal((await protection())?.how, 'owned')
    assert.doesNotMatch(rig.relay.run('nft', ['list', 'tables']), /panel_hold/)
    assert.equal(await answering(), FLOWS)
  })

  it('are lost to a flush where neither is wanted, and every connection with them', async () => {
    await protect(false)
    assert.equal(others('flush ruleset'), true)
    assert.equal(await answering(0), 0)
  })
})
