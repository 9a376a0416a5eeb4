// What keeps a change of one rule among thousands quick: the kernel is queried for what the change was to alter, and
// for all of it wherever that does not settle the matter.
import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import fc from 'fast-check'
import { applyRuleset } from '@panel/root-helper/nouns/ruleset/handlers.ts'
import { canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import { IN_ROTATION, type RelayDestination, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { readRuleset } from '@panel/shared/ruleset/nft/read.ts'
import { exampleRule } from '../support/example-rule.ts'
import { noJournal } from '../support/in-process-helper.ts'
import { relayRules } from '../support/random-rules.ts'
import { KernelNamespace } from './kernel-namespace.ts'

const rule = (route_rule_id: number, fields: Partial<RelayRule> = {}): RelayRule =>
  exampleRule({ route_rule_id, sort_order: route_rule_id, bind_port: 1000 + route_rule_id, ...fields })
const end = (address: string, weight = 1): RelayDestination => ({
  ...{ address, port: 80, port_range_end: null, weight, ...IN_ROTATION },
})
const to = (address: string): Partial<RelayRule> => ({ destinations: [end(address)] })
/** A rule with a chain of its own, so that the change goes by nft. */
const COMPILED = rule(7, { is_logging_enabled: true })
const withSources = (...allowed_sources: string[]): Partial<RelayRule> => ({ allowed_sources })

/** Runs the real program, records its arguments, and can be made to do something else. */
const NFT = (folder: string): string => `#!/bin/sh
echo "$*" >> ${folder}/asked
if [ "$1" = -f ]; then
  if [ -e ${folder}/edit ]; then sed -f ${folder}/edit | REAL -f - || exit 1; else REAL -f - || exit 1; fi
  [ ! -e ${folder}/meddle ] || REAL -f ${folder}/meddle
else
  exec REAL "$@"
fi
`

describe('A change of relay rules that is read back in pieces', function () {
  const folder = mkdtempSync(join(tmpdir(), 'panel-scale-'))
  const real =
    [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
      .map((place) => join(place, 'nft'))
      .find((place) => existsSync(place)) ?? ''
  let host: KernelNamespace
  before(async () => {
    writeFileSync(join(folder, 'nft'), NFT(folder).replaceAll('REAL', real))
    chmodSync(join(folder, 'nft'), 0o755)
    host = new KernelNamespace({ PANEL_TEST_NFT: join(folder, 'nft') })
    await host.kernel.rulesets.read()
  })
  after(() => host.close())
  beforeEach(async () => {
    for (const name of ['edit', 'meddle']) rmSync(join(folder, name), { force: true })
    const { rules, damaged } = await host.kernel.rulesets.read()
    await host.kernel.rulesets.submit(
      [...rules, ...damaged].map(({ route_rule_id }) => route_rule_id),
      RULES,
    )
    await host.kernel.rulesets.read()
    writeFileSync(join(folder, 'asked'), '')
  })

  const RULES = [
    rule(1),
    rule(2, withSources('10.0.0.0/8')),
    rule(3, {
      bind_port: 5000,
      bind_port_range_end: 5009,
      destinations: [{ address: '10.9.0.2', port: 6000, port_range_end: 6009, weight: 1, ...IN_ROTATION }],
    }),
    rule(4, {
      balance: 'weighted',
      destinations: [1, 3].map((weight) => end(`10.9.0.${weight}`, weight)),
    }),
  ]
  const nft = (command: string): string => host.run(real, command.split(' '))
  const listings = (): number =>
    readFileSync(join(folder, 'asked'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('list table')).length
  const held = async () => {
    const { rules, damaged, unmanaged } = await host.kernel.rulesets.read()
    return { rules, damaged, unmanaged }
  }
  const asNftSays = () => {
    const { rules, damaged, unmanaged } = readRuleset(nft('-j list table inet panel'))
    return { rules, damaged, unmanaged }
  }
  const becomes = async (...rules: readonly RelayRule[]): Promise<void> => {
    const ids = (await held()).rules.map(({ route_rule_id }) => route_rule_id)
    await host.kernel.rulesets.submit(
      ids.filter((id) => !rules.some(({ route_rule_id }) => route_rule_id === id)),
      rules,
    )
    assert.deepEqual(await held(), { rules: canonicalRuleset(rules), damaged: [], unmanaged: [] })
  }

  it('needs no listing where rules change their destination, their place or their sources, come or go', async () => {
    const [one, two, three, four] = RULES as [RelayRule, RelayRule, RelayRule, RelayRule]
    await becomes({ ...one, ...to('10.9.9.9') }, two, three, four)
    await becomes(
      { ...one, sort_order: 50, nat_mode: 'none' },
      { ...two, ...withSources('0.0.0.0/1', '128.0.0.0/2', '198.51.100.7/32') },
      three,
      four,
    )
    await becomes(
      { ...one, sort_order: 50, nat_mode: 'none' },
      { ...two, ...withSources('255.255.255.255/32') },
      { ...three, destinations: [{ ...end('10.9.0.3'), port: 7000, port_range_end: 7009 }] },
      four,
    )
    await becomes(
      one,
      two,
      three,
      { ...four, destinations: [...four.destinations].reverse() },
      rule(9),
      rule(10, {
        bind_address: '2001:db8::1',
        destinations: [{ address: '::ffff:1.2.3.4', port: 8080, port_range_end: null, weight: 1, ...IN_ROTATION }],
      }),
      rule(11, { protocol: 'both', bind_address: '0.0.0.0' }),
    )
    await becomes(one, two, three, four)
    assert.deepEqual(
      (await host.kernel.rulesets.removeCounters([9, 10, 11])).map(({ route_rule_id }) => route_rule_id),
      [9, 10, 11],
    )
    assert.deepEqual([await held(), listings()], [asNftSays(), 0])
  })

  it('needs no listing where rules get chains and sets of their own, change what is in them, and lose them', async () => {
    const two = [2, 3].map((last) => end(`10.9.0.${last}`))
    const six = {
      bind_address: '2001:db8::1',
      destinations: [2, 3].map((last) => end(`fd00::${last}`)),
    }
    const limited = { max_connections_per_source: 9, connection_rate_limit: 50, is_logging_enabled: true }
    const all = [
      rule(11, { destinations: two, balance: 'round_robin', ...limited }),
      rule(12, { ...withSources('10.0.0.0/8', '192.0.2.7/32'), bind_interface: 'eth0', ...limited }),
      rule(13, { bind_address: '0.0.0.0', destinations: two, balance: 'source_hash' }),
      rule(14, { ...six, balance: 'source_hash', allowed_sources: ['2001:db8::/32'], ...limited }),
      rule(15, { bind_port: 4013, bind_address: '::', destinations: six.destinations, balance: 'round_robin' }),
      rule(16, { bind_port: 4013, protocol: 'both', is_include_local_originated: true }),
      rule(17, {
        bind_port: 4013,
        bind_address: '0.0.0.0',
        bind_interface: 'wg-a_1.2',
        ...withSources('198.51.100.0/24'),
      }),
      rule(18, { bind_port: 5005, destinations: two, balance: 'weighted' }),
    ]
    await becomes(...RULES, ...all)
    await becomes(
      ...RULES,
      ...all.map((one) => ({
        ...one,
        max_connections_per_source: 7,
        connection_rate_limit: null,
        is_logging_enabled: !one.is_logging_enabled,
      })),
    )
    await becomes(...RULES, ...all.slice(4))
    await becomes(...RULES)
    assert.deepEqual([await held(), listings()], [asNftSays(), 0])
  })

  it('ends as nft lists it, whatever rules there were before and are then', async () => {
    await fc.assert(
      fc.asyncProperty(relayRules, async (rules) => {
        await becomes(...rules)
        assert.deepEqual(asNftSays(), await held())
      }),
      { numRuns: 25 },
    )
  })

  it('sees what was edited by hand between two changes, in the rules that it concerns and in others', async () => {
    for (const [command, seen] of [
      ['delete element inet panel relay_to4 { 0x50000100 }', [1]],
      ['delete element inet panel relay_in_ports { tcp . 1002 }', [2]],
      ['add rule inet panel relay_in accept', []],
    ] as const) {
      nft(command)
      const { damaged, unmanaged } = await held()
      assert.deepEqual(
        [damaged.map(({ route_rule_id }) => route_rule_id), unmanaged.length],
        [seen, seen.length === 0 ? 1 : 0],
        command,
      )
      await becomes({ ...rule(1), ...to(`10.9.9.${seen.length}`) }, ...RULES.slice(1))
      assert.deepEqual(asNftSays(), await held())
    }
  })

  it('sees what was edited by hand while it was under way', async () => {
    writeFileSync(join(folder, 'meddle'), 'delete element inet panel relay_in_ports { tcp . 1002 }\n')
    await host.kernel.rulesets.submit([], [{ ...rule(1), ...to('10.9.9.9') }, COMPILED])
    assert.deepEqual(
      (await held()).damaged.map(({ route_rule_id }) => route_rule_id),
      [2],
    )
  })

  for (const [what, edit] of [
    ['an element', '/^add element inet panel relay_to4/d'],
    ['the end of an element', '/^delete element inet panel relay_in_id4/d'],
    ['a counter', '/^add counter inet panel rule_8_rx$/d; /^add element inet panel relay_account/d'],
    ['a line of the constant chains', '/ct status dnat masquerade$/d'],
    ['another element', 's/10\\.9\\.9\\.9/10.9.9.8/'],
  ] as const) {
    it(`is not taken for made where nft leaves out or mistakes ${what}, whatever nft says`, async () => {
      appendFileSync(join(folder, 'edit'), `${edit}\n`)
      const after = [{ ...rule(1), ...to('10.9.9.9'), bind_port: 4001 }, rule(8), COMPILED]
      const { outcome, failure } = await applyRuleset(host.kernel.rulesets, noJournal(), { before: [rule(1)], after })
      assert.notEqual(outcome, 'applied')
      assert.match(failure?.message ?? '', /rule (1|7|8): /)
      assert.ok(listings() > 0)
      rmSync(join(folder, 'edit'))
      assert.deepEqual(
        asNftSays(),
        await held().then(({ rules, damaged, unmanaged }) => ({
          rules,
          damaged: damaged.filter(({ detail }) => !detail.startsWith('nothing of it')),
          unmanaged,
        })),
      )
    })
  }

  for (const edit of [
    '/fib daddr type local goto rule_8$/d',
    '/fib daddr type local goto rule_8$/s/fib daddr type local //',
    's/goto rule_8$/goto rule_2/',
    '/ct count over/d',
    's/ct count over 9/ct count over 8/',
    's/limit rate over 50/limit rate 50/',
    's/50.second burst/50\\/minute burst/',
    '/log prefix/d',
    's/level info/level warn/',
    's/numgen inc mod 2/numgen random mod 2/',
    's/ip saddr @from4_8/ip saddr != @from4_8/',
    's/from4_8 { type ipv4_addr; flags interval; }/from4_8 { type ipv4_addr; flags interval; auto-merge; }/;s/10.0.0.0.8/10.0.0.0\\/9/',
    '/^delete chain/d',
  ]) {
    it(`is not taken for made where nft is given other lines of a chain (${edit}), whatever nft says`, async () => {
      const limits = { max_connections_per_source: 9, connection_rate_limit: 50, is_logging_enabled: true }
      const [, , , four] = RULES
      appendFileSync(join(folder, 'edit'), `${edit}\n`)
      const eight = rule(8, {
        ...withSources('10.0.0.0/8'),
        ...limits,
        bind_address: '0.0.0.0',
        balance: 'round_robin',
        destinations: [2, 3].map((last) => end(`10.9.0.${last}`)),
      })
      await host.kernel.rulesets.submit([4], [eight]).catch(() => undefined)
      assert.ok(four && listings() === 0)
      const { rules, damaged, unmanaged } = await held()
      assert.ok(listings() > 0)
      assert.deepEqual(asNftSays(), {
        rules,
        damaged: damaged.filter(({ detail }) => !detail.startsWith('nothing of it')),
        unmanaged,
      })
    })
  }

  it('has the counters that nft has, and tells a table that was recreated', async () => {
    nft('delete element inet panel relay_account { 0x50000100 . original }')
    nft('delete counter inet panel rule_1_tx')
    nft('add counter inet panel rule_1_tx { packets 5 bytes 1844674407370955 }')
    const { epoch, counters } = await host.kernel.rulesets.counters()
    assert.deepEqual(counters[0], {
      route_rule_id: 1,
      tx_bytes: 1844674407370955,
      tx_packets: 5,
      rx_bytes: 0,
      rx_packets: 0,
    })
    const listed = (
      JSON.parse(nft('-j list counters table inet panel')) as {
        nftables: { counter?: { name: string; packets: number } }[]
      }
    ).nftables.flatMap(({ counter }) => counter ?? [])
    assert.deepEqual(
      listed.map(({ name }) => name).sort(),
      counters.flatMap(({ route_rule_id }) => ['rx', 'tx'].map((way) => `rule_${route_rule_id}_${way}`)).sort(),
    )
    nft('delete table inet panel')
    assert.deepEqual(await host.kernel.rulesets.counters(), { epoch: '', counters: [] })
    await host.kernel.rulesets.submit([], [])
    assert.notEqual((await host.kernel.rulesets.counters()).epoch, epoch)
  })
})
