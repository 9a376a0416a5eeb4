// Changes of counters and elements that root commits to nf_tables by itself, on this machine's kernel, beside nft with
// the text that says the same.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import fc from 'fast-check'
import { canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import { repetitions } from '../support/counts.ts'
import { exampleRule } from '../support/example-rule.ts'
import { program } from '../support/programs.ts'
import { relayRules } from '../support/random-rules.ts'
import { KernelNamespace } from './kernel-namespace.ts'
import { LinksNamespace } from './links-namespace.ts'

const DRIVER = await program(new URL('direct-driver.ts', import.meta.url))

/** So that the chains which only some rules need are always there. */
const WITNESS = exampleRule({ route_rule_id: 99, bind_port: 9999, is_clamp_mss_to_pmtu: true, fwmark: 7 })

/** Each at a port of its own, and with nothing that needs a chain. */
const plainRules = relayRules.map((rules) =>
  canonicalRuleset([
    WITNESS,
    ...rules.map((rule) => ({
      ...rule,
      ...{ bind_port: 1000 + rule.route_rule_id, bind_port_range_end: null, bind_interface: null },
      ...{ balance: 'none' as const, allowed_sources: [] },
      destinations: rule.destinations
        .slice(0, 1)
        .map((one) => ({ ...one, port_range_end: null, weight: 1, ...IN_ROTATION })),
      ...{ is_logging_enabled: false, max_connections_per_source: null, connection_rate_limit: null },
    })),
  ]),
)

const nft = (host: LinksNamespace, text: string): string => host.run('nft', ['-f', '-'], text)
const listing = (host: LinksNamespace): string => host.run('nft', ['list', 'ruleset'])

describe('A change that root commits by itself', function () {
  let host: LinksNamespace
  let beside: LinksNamespace
  before(async () => {
    ;[host, beside] = [new LinksNamespace(DRIVER), new LinksNamespace(DRIVER)]
    await Promise.all([host, beside].map((one) => one.call('generation')))
  })
  after(() => Promise.all([host.close(), beside.close()]))
  const become = (rules: readonly RelayRule[]): void => {
    for (const one of [host, beside])
      nft(one, `table inet panel { }\ndelete table inet panel\n${rulesetText(null, rules)}`)
  }

  it('leaves what nft leaves of the text that says the same, to the byte', async () => {
    let held = [WITNESS]
    become(held)
    let direct = 0
    await fc.assert(
      fc.asyncProperty(plainRules, async (wanted) => {
        const text = rulesetText(held, wanted)
        nft(beside, text)
        if (await host.call('isDirect', held, wanted)) {
          const before = listing(host)
          // A counter may be left of an earlier rule, of which these two do not know.
          await host
            .call('rehearse', held, wanted, await host.call('generation'))
            .catch(({ code }: { code: string }) => {
              assert.equal(code, 'EEXIST')
            })
          assert.equal(listing(host), before)
          await host.call('change', held, wanted, await host.call('generation'))
          direct += 1
        } else nft(host, text)
        held = wanted
        assert.equal(listing(host), listing(beside))
      }),
      { numRuns: repetitions('PANEL_DIRECT_CHANGES'), endOnFailure: true },
    )
    assert.ok(direct > 0.9 * repetitions('PANEL_DIRECT_CHANGES'), `${direct} of them went by a batch`)
  })

  const ONE = exampleRule({ route_rule_id: 1, bind_port: 1001 })
  const TWO = exampleRule({ route_rule_id: 2, bind_port: 1002, nat_mode: 'none' })
  const MOVED = {
    ...ONE,
    destinations: [{ address: '10.9.0.3', port: 8443, port_range_end: null, weight: 1, ...IN_ROTATION }],
  }
  const [BEFORE, AFTER] = [canonicalRuleset([WITNESS, ONE]), canonicalRuleset([WITNESS, MOVED, TWO])]
  const now = () => host.call('generation') as Promise<number>

  it('changes nothing where the kernel refuses any message of it', async () => {
    become(BEFORE)
    const [there, generation] = [listing(host), await now()]
    const messages = (await host.call('messages', BEFORE, AFTER)) as number
    assert.ok(messages > 5)
    for (let at = 0; at <= messages; at += 1) {
      await assert.rejects(host.call('changeWithFault', BEFORE, AFTER, at), { code: 'ENOENT' })
      assert.deepEqual([listing(host), await now()], [there, generation])
    }
  })

  it('is refused if another program has changed the ruleset since it was read', async () => {
    become(BEFORE)
    const read = await now()
    host.run('nft', ['add table ip other'])
    const there = listing(host)
    await assert.rejects(host.call('change', BEFORE, AFTER, read), { code: 'ERESTART' })
    assert.equal(listing(host), there)
    await host.call('change', BEFORE, AFTER, await now())
    host.run('nft', ['delete table ip other'])
    become(AFTER)
  })

  it('is rehearsed with its way back as one commit that leaves nothing, and the kernel says what it would refuse', async () => {
    become(BEFORE)
    for (const [from, to] of [
      [BEFORE, AFTER],
      [BEFORE, canonicalRuleset([WITNESS])],
    ] as const) {
      const [there, generation] = [listing(host), await now()]
      await host.call('rehearse', from, to, generation)
      assert.deepEqual([listing(host), await now()], [there, generation + 1])
      await assert.rejects(host.call('rehearse', from, to, generation), { code: 'ERESTART' })
    }
    nft(host, 'add counter inet panel rule_2_tx { packets 7 bytes 70 }')
    const counted = listing(host)
    await assert.rejects(host.call('rehearse', BEFORE, AFTER, await now()), { code: 'EEXIST' })
    assert.equal(listing(host), counted)
    nft(host, 'delete element inet panel relay_masquerade { 0x50000100 }')
    const withoutMasquerade = canonicalRuleset([WITNESS, { ...ONE, nat_mode: 'none' }])
    await assert.rejects(host.call('rehearse', BEFORE, withoutMasquerade, await now()), { code: 'ENOENT' })
  })
})

describe('Relay rules that root changes while another program changes the ruleset', function () {
  it('are carried out on what is there by then, and nothing of either is lost', async () => {
    const host = new KernelNamespace()
    await host.kernel.rulesets.read()
    const meddling = spawn('nsenter', [
      ...[`--net=${host.netns}`, 'sh', '-c'],
      'n=0; while :; do n=$((n + 1)); nft "add table ip other; add set ip other s { type ipv4_addr; }; add element ip other s { 192.0.2.$((n % 250)) }"; done',
    ])
    try {
      for (let turn = 0; turn < 60; turn += 1) {
        const rule = exampleRule({ route_rule_id: 1 + (turn % 5), bind_port: 2000 + turn })
        await host.kernel.rulesets.submit([], [rule])
        const { rules, damaged, unmanaged } = await host.kernel.rulesets.read()
        assert.deepEqual(
          rules.find(({ route_rule_id }) => route_rule_id === rule.route_rule_id),
          rule,
        )
        assert.deepEqual([damaged, unmanaged], [[], []])
      }
    } finally {
      meddling.kill('SIGKILL')
    }
    assert.match(host.run('nft', ['list', 'set', 'ip', 'other', 's']), /192\.0\.2\.1,/)
    await host.close()
  })
})
