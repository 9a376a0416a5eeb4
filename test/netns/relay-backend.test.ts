// Which backend holds the relay rules of a helper that starts: the one that holds them already, unless the operator has
// named another one.
import assert from 'node:assert/strict'
import type { RuleBackendFound } from '@panel/shared/ruleset/backend.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { RELAY, RelayRig, ruleOfRig as rule, SERVERS } from './relay-rig.ts'

const NAMED = (backend: string): NodeJS.ProcessEnv => ({ PANEL_RULE_BACKEND: backend })

describe('The backend of relay rules, at a start of the helper,', function () {
  const rig = new RelayRig({}, { canFail: true })
  const backend = async (): Promise<RuleBackendFound> =>
    (await askOnce(rig.socket, 'host.probe', { parts: ['rule_backend'] })).rule_backend ?? assert.fail()
  const relays = async (): Promise<string | undefined> =>
    (await rig.client.calls.talk({ protocol: 'tcp', address: RELAY, port: 1001 }))?.server
  const inMounts = (...command: readonly string[]): void =>
    void rig.relay.run('nsenter', [`--mount=/proc/${rig.relay.child.pid}/ns/mnt`, ...command])
  const legacy = (...args: readonly string[]): string => rig.relay.run('iptables-legacy', args)

  before(async () => {
    await rig.open()
    await rig.servers.calls.listen({ protocol: 'tcp', address: SERVERS[0], port: 80 })
  })
  after(() => rig.close())

  it('is the better one as long as there is no rule', async () => {
    await rig.restartHelper(NAMED('iptables_nft'))
    assert.equal((await backend()).active, 'iptables_nft')
    await rig.restartHelper()
    assert.deepEqual([(await backend()).active, (await backend()).trouble], ['nftables', ''])
  })

  it('stays the one that holds rules, and says how they are moved', async () => {
    await rig.restartHelper(NAMED('iptables_nft'))
    await rig.become(rule(1))
    await rig.restartHelper()
    const found = await backend()
    assert.deepEqual([found.active, found.trouble, found.leftovers], ['iptables_nft', '', []])
    assert.match(found.reason, /holds the relay rules already.*PANEL_RULE_BACKEND/)
    assert.equal(await relays(), `${SERVERS[0]} 80`)
    await rig.restartHelper(NAMED('nftables'))
    assert.deepEqual([(await backend()).active, (await rig.held()).rules], ['nftables', [rule(1)]])
    assert.doesNotMatch(rig.relay.run('iptables-nft-save', []), /PANEL-/)
    await rig.restartHelper()
    assert.equal((await backend()).active, 'nftables')
  })

  for (const [other, add, isThere] of [
    [
      'iptables_legacy',
      () => void legacy('-t', 'nat', '-N', 'PANEL-IN'),
      () => rig.relay.run('iptables-legacy-save', []).includes('PANEL-'),
    ],
    [
      'iptables_nft',
      () => void rig.relay.run('ip6tables-nft', ['-t', 'mangle', '-N', 'PANEL-IN']),
      () => rig.relay.run('ip6tables-nft-save', []).includes('PANEL-'),
    ],
  ] as const)
    it(`blocks every change while ${other} has chains of the panel too, until the operator names one of the two`, async () => {
      add()
      await rig.restartHelper()
      const found = await backend()
      assert.deepEqual([found.active, found.leftovers], ['nftables', [other]])
      assert.match(found.trouble, new RegExp(`in ${other} too, beside nftables`))
      await assert.rejects(rig.apply([], [rule(2)]), /PANEL_RULE_BACKEND/)
      await assert.rejects(rig.apply([rule(1)], []), /PANEL_RULE_BACKEND/)
      assert.deepEqual((await rig.held()).rules, [rule(1)])
      assert.equal(await relays(), `${SERVERS[0]} 80`)
      assert.equal(isThere(), true)
      await rig.restartHelper(NAMED('nftables'))
      assert.deepEqual([(await backend()).trouble, (await backend()).leftovers], ['', []])
      assert.equal(isThere(), false)
      assert.equal((await rig.apply([], [rule(2)])).outcome, 'applied')
      assert.equal((await rig.apply([rule(2)], [])).outcome, 'applied')
    })

  it('blocks until what is left in another backend has gone by hand', async () => {
    legacy('-t', 'mangle', '-N', 'PANEL-IN')
    await rig.restartHelper()
    assert.deepEqual((await backend()).leftovers, ['iptables_legacy'])
    legacy('-t', 'mangle', '-X', 'PANEL-IN')
    while ((await backend()).trouble !== '') await new Promise((resolve) => setTimeout(resolve, 100))
    assert.deepEqual((await backend()).leftovers, [])
  })

  it('is not changed for another when nft goes from the host, and the kernel keeps what it has', async () => {
    inMounts('mount', '--bind', '/dev/null', '/usr/sbin/nft')
    await rig.restartHelper()
    const found = await backend()
    assert.equal(found.active, 'nftables')
    assert.match(found.trouble, /in nftables, and it cannot be used now: nft is not installed/)
    assert.equal((await rig.held()).is_readable, false)
    await assert.rejects(rig.apply([], [rule(2)]), /nft is not installed/)
    assert.doesNotMatch(rig.relay.run('iptables-nft-save', []) + rig.relay.run('iptables-legacy-save', []), /PANEL-/)
    assert.equal(await relays(), `${SERVERS[0]} 80`)
    inMounts('umount', '/usr/sbin/nft')
    while ((await backend()).trouble !== '') await new Promise((resolve) => setTimeout(resolve, 100))
    assert.deepEqual((await rig.held()).rules, [rule(1)])
  })

  it('that the operator names takes nothing over while the other one cannot be read, and says why', async () => {
    inMounts('mount', '--bind', '/dev/null', '/usr/sbin/nft')
    await rig.restartHelper(NAMED('iptables_nft'))
    const found = await backend()
    assert.deepEqual([found.active, found.leftovers], ['iptables_nft', ['nftables']])
    assert.match(found.trouble, /cannot be moved from nftables to iptables_nft yet: nft is not installed/)
    await assert.rejects(rig.apply([], [rule(2)]), /nft is not installed/)
    assert.doesNotMatch(rig.relay.run('iptables-nft-save', []), /PANEL-/)
    assert.equal(await relays(), `${SERVERS[0]} 80`)
    inMounts('umount', '/usr/sbin/nft')
    while ((await backend()).trouble !== '') await new Promise((resolve) => setTimeout(resolve, 100))
    assert.doesNotMatch(rig.relay.run('nft', ['list', 'tables']), /inet panel/)
    assert.equal(await relays(), `${SERVERS[0]} 80`)
    await rig.restartHelper(NAMED('nftables'))
    assert.deepEqual([(await backend()).active, (await rig.held()).rules], ['nftables', [rule(1)]])
  })

  it('that the operator names and that fails is not changed for another either', async () => {
    await rig.killHelper()
    rig.tools.fail('aborts')
    await rig.restartHelper(NAMED('iptables_legacy'))
    const found = await backend()
    assert.equal(found.active, 'iptables_legacy')
    assert.match(found.trouble, /PANEL_RULE_BACKEND asks for iptables_legacy, and iptables-legacy-save crashed/)
    assert.equal(await relays(), `${SERVERS[0]} 80`)
    rig.tools.mend()
    while ((await backend()).trouble !== '') await new Promise((resolve) => setTimeout(resolve, 100))
    const held = await rig.held()
    assert.deepEqual([held.backend, held.rules], ['iptables_legacy', [rule(1)]])
    assert.doesNotMatch(rig.relay.run('nft', ['list', 'tables']), /inet panel/)
    assert.equal(await relays(), `${SERVERS[0]} 80`)
  })
})
