// A helper that starts while its programs fail: the kernel relays exactly what it relayed before, by the backend that it
// did, and nothing says otherwise.
import assert from 'node:assert/strict'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { casesOf, repetitions } from '../support/counts.ts'
import { FALLIBLE, FAULTS, type ToolFault } from './faulty-tools.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, ruleOfRig as rule, SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const tcp = (port: number): Place => ({ protocol: 'tcp', address: RELAY, port })
const balanced = (route_rule_id: number): RelayRule =>
  rule(route_rule_id, {
    balance: 'round_robin',
    destinations: [ONE, TWO].map((address) => ({ address, port: 80, port_range_end: null, weight: 1, ...IN_ROTATION })),
  })
const RULES = [...Array.from({ length: 13 }, (_, at) => rule(at + 1)), balanced(14)]
/** So many of the first calls fail, at most. */
const CALLS_MAX = 5
const FAULTS_OF_A_START = Object.keys(FAULTS).filter((name) => name !== 'refuses a line') as ToolFault[]

for (const backend of ['nftables', 'iptables_nft', 'iptables_legacy'] as const)
  describe(`Relay rules in ${backend}, at a start in which programs fail,`, function () {
    const named = backend === 'nftables' ? {} : { PANEL_RULE_BACKEND: backend }
    const rig = new RelayRig(named, { canFail: true })

    const everything = (): string =>
      [
        ['nft', ['-s', 'list', 'ruleset']],
        ['iptables-legacy-save', []],
        ['ip6tables-legacy-save', []],
      ]
        .map(([program, args]) => rig.relay.run(program as string, args as string[]))
        .join('\n')
        .replaceAll(/^#.*$|\[\d+:\d+\]/gm, '')
    const relays = async (): Promise<string | undefined> => (await rig.client.calls.talk(tcp(1001)))?.server
    /** Once the helper has brought all up, also after pauses. */
    const settled = async (): Promise<RuleBackend> => {
      for (;;) {
        const { rule_backend } = await askOnce(rig.socket, 'host.probe', { parts: ['rule_backend'] })
        if (rule_backend?.trouble === '') return rule_backend.active
        assert.notEqual(rule_backend?.trouble, undefined)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }

    before(async () => {
      await rig.open()
      for (const address of [ONE, TWO]) await rig.servers.calls.listen({ protocol: 'tcp', address, port: 80 })
      await rig.become(...RULES)
      await rig.restartHelper()
    })
    after(() => rig.close())
    afterEach(() => rig.tools.mend())

    const startsAsBefore = async (fault: ToolFault, calls: number, tools?: readonly string[]): Promise<void> => {
      const before = everything()
      await rig.killHelper()
      rig.tools.fail(fault, calls, tools)
      await rig.restartHelper()
      assert.equal(everything(), before)
      assert.equal(await relays(), `${ONE} 80`)
      assert.equal(await settled(), backend)
      const held = await rig.held()
      assert.deepEqual([held.backend, held.is_readable, held.rules, held.damaged], [backend, true, RULES, []])
      assert.equal(everything(), before)
    }

    for (const [at, fault] of casesOf(backend, [...FAULTS_OF_A_START.entries()]))
      it(`are relayed as before where one of the first calls ${fault}, or some of them`, async () => {
        for (let round = 0; round < repetitions('PANEL_FAILING_STARTS'); round += 1) {
          await startsAsBefore(fault, ((at + round) % CALLS_MAX) + 1)
          assert.ok(rig.tools.failed > 0)
        }
      })

    it('are relayed as before whichever program fails at its first calls', async () => {
      for (const [at, tool] of casesOf(backend, [...FALLIBLE.entries()]))
        await startsAsBefore('aborts', (at % CALLS_MAX) + 1, [tool])
    })

    it('stay where they are for as long as every program fails, and every change is refused', async () => {
      const before = everything()
      await rig.killHelper()
      rig.tools.fail('aborts')
      await rig.restartHelper()
      const { rule_backend } = await askOnce(rig.socket, 'host.probe', { parts: ['rule_backend'] })
      assert.equal(rule_backend?.active, backend)
      assert.match(rule_backend?.trouble ?? '', /crashed \(SIGABRT\)/)
      const held = await rig.held()
      assert.deepEqual([held.backend, held.is_readable, held.rules], [backend, false, []])
      assert.match(held.detail, /crashed \(SIGABRT\)/)
      await assert.rejects(rig.apply([], [rule(20)]), /crashed/)
      await assert.rejects(rig.apply(RULES, []), /crashed/)
      await assert.rejects(askOnce(rig.socket, 'ruleset.forget', { route_rule_ids: [1] }), /crashed/)
      assert.equal(everything(), before)
      assert.equal(await relays(), `${ONE} 80`)
      rig.tools.mend()
      assert.equal(await settled(), backend)
      assert.deepEqual((await rig.held()).rules, RULES)
    })

    it('are brought back after a reboot once a program works that failed at first', async () => {
      for (const calls of [1, CALLS_MAX]) {
        await rig.killHelper()
        rig.relay.run('nft', ['flush', 'ruleset'])
        for (const program of ['iptables-legacy', 'ip6tables-legacy'])
          for (const table of ['nat', 'mangle']) {
            rig.relay.run(program, ['-t', table, '-F'])
            rig.relay.run(program, ['-t', table, '-X'])
          }
        rig.tools.fail('aborts', calls)
        await rig.restartHelper()
        assert.equal(await settled(), backend)
        while ((await rig.held()).rules.length < RULES.length) await new Promise((resolve) => setTimeout(resolve, 100))
        assert.deepEqual((await rig.held()).rules, RULES)
        assert.equal(await relays(), `${ONE} 80`)
      }
    })
  })
