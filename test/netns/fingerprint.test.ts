// The fingerprint of our table, on this machine's kernel: another one after whatever another program does to the table,
// and the same one after what it does elsewhere.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import { repetitions } from '../support/counts.ts'
import { exampleRule } from '../support/example-rule.ts'
import { program } from '../support/programs.ts'
import { relayRules } from '../support/random-rules.ts'
import { LinksNamespace } from './links-namespace.ts'

const DRIVER = await program(new URL('direct-driver.ts', import.meta.url))

interface Listed {
  readonly rule?: { readonly chain: string; readonly handle: number }
  readonly chain?: { readonly name: string; readonly hook?: string; readonly policy?: string }
  readonly map?: { readonly name: string; readonly elem?: unknown }
  readonly set?: { readonly name: string; readonly elem?: unknown }
}

const ASLEEP = 'put the table to sleep'
/** What another program can do to the table, at a place that `at` chooses. */
const EDITS: Readonly<Record<string, (listed: readonly Listed[], at: number) => string | undefined>> = {
  'delete a line': (listed, at) =>
    one(listed, at, ({ rule }) => rule && `delete rule inet panel ${rule.chain} handle ${rule.handle}`),
  'insert a line': (listed, at) =>
    one(listed, at, ({ chain }) => chain && `insert rule inet panel ${chain.name} accept`),
  'add a line that only counts': (listed, at) =>
    one(listed, at, ({ chain }) => chain && `add rule inet panel ${chain.name} counter`),
  'replace a line': (listed, at) =>
    one(listed, at, ({ rule }) => rule && `replace rule inet panel ${rule.chain} handle ${rule.handle} accept`),
  'empty a chain': (listed, at) => one(listed, at, ({ rule }) => rule && `flush chain inet panel ${rule.chain}`),
  'have a chain drop': (listed, at) =>
    one(listed, at, ({ chain }) =>
      chain?.policy === 'accept' ? `add chain inet panel ${chain.name} { policy drop; }` : undefined,
    ),
  'empty a map': (listed, at) => one(listed, at, ({ map }) => map?.elem && `flush map inet panel ${map.name}`),
  'empty a set': (listed, at) => one(listed, at, ({ set }) => set?.elem && `flush set inet panel ${set.name}`),
  'add an element': () => 'add element inet panel relay_order { 0x0000abcd : 0x00000001 }',
  'have another element count': () => 'add element inet panel relay_arrived { 0x0000abcd }',
  'add a chain': () => 'add chain inet panel other',
  'add a set': () => 'add set inet panel other { type ipv4_addr; }',
  'add a counter': () => 'add counter inet panel other',
  'add a quota': () => 'add quota inet panel other { over 1 mbytes }',
  [ASLEEP]: () => 'add table inet panel { flags dormant; }',
}

function one(listed: readonly Listed[], at: number, edit: (item: Listed) => unknown): string | undefined {
  const edits = listed.map(edit).filter((text): text is string => typeof text === 'string' && text !== '')
  return edits[at % Math.max(1, edits.length)]
}

describe('The fingerprint of our table', function () {
  let host: LinksNamespace
  before(async () => {
    host = new LinksNamespace(DRIVER)
    await host.call('generation')
  })
  after(() => host.close())
  const nft = (text: string): string => host.run('nft', ['-f', '-'], `${text}\n`)
  const listing = (): string => host.run('nft', ['-a', 'list', 'table', 'inet', 'panel'])
  const listed = (): Listed[] =>
    (JSON.parse(host.run('nft', ['-j', '-a', 'list', 'table', 'inet', 'panel'])) as { nftables: Listed[] }).nftables
  const become = (rules: readonly RelayRule[]): string =>
    nft(`table inet panel { }\ndelete table inet panel\n${rulesetText(null, rules)}`)

  // nft 1.0.6 breaks its JSON off at the flags of a table that sleeps, so nothing can be chosen from it any more.
  const awake = Object.keys(EDITS).filter((what) => what !== ASLEEP)
  const edit = fc.tuple(fc.constantFrom(...awake), fc.nat(500))

  /** Returns whether the table is listed otherwise than before, and whether its fingerprint is another one. */
  async function edited(rules: readonly RelayRule[], text: string): Promise<readonly [boolean, boolean]> {
    const before = [listing(), await host.call('fingerprint', rules)]
    try {
      nft(text)
    } catch {
      // What the kernel refuses, such as the deletion of what is in use, changes nothing.
    }
    const after = [listing(), await host.call('fingerprint', rules)]
    return [after[0] !== before[0], after[1] !== before[1]]
  }

  for (const what of Object.keys(EDITS))
    it(`is another one where another program can ${what}`, async () => {
      const rules = [exampleRule({ route_rule_id: 1, bind_port: 1001, is_clamp_mss_to_pmtu: true, fwmark: 7 })]
      become(rules)
      assert.deepEqual(await edited(rules, EDITS[what]?.(listed(), 0) ?? ''), [true, true])
    })

  it('is another one just where the table is, whatever the rules, and wherever the change is made', async () => {
    await fc.assert(
      fc.asyncProperty(relayRules, fc.array(edit, { minLength: 1, maxLength: 6 }), async (rules, edits) => {
        become(rules)
        for (const [what, at] of rules.length === 0 ? [] : edits) {
          const text = EDITS[what]?.(listed(), at)
          if (text === undefined) continue
          const [isListedOtherwise, isAnother] = await edited(rules, text)
          assert.equal(isAnother, isListedOtherwise, `${what}: ${text}`)
        }
      }),
      { numRuns: repetitions('PANEL_FINGERPRINTS'), endOnFailure: true },
    )
  })

  it('is another one once the same table was made again, whose counters begin again', async () => {
    const rules = [exampleRule({ route_rule_id: 1, bind_port: 1001 })]
    become(rules)
    const before = await host.call('fingerprint', rules)
    become(rules)
    assert.notEqual(await host.call('fingerprint', rules), before)
  })

  it('is the same whatever happens in other tables, and whatever is relayed', async () => {
    const rules = [exampleRule({ route_rule_id: 1, bind_port: 1001 })]
    become(rules)
    const before = await host.call('fingerprint', rules)
    for (const text of [
      'table inet other { chain panel { type filter hook forward priority 5; policy drop; counter; }; set panel { type mark; }; }',
      'table ip panel { map relay_order { type mark : mark; elements = { 1 : 2 } }; counter rule_1_tx { }; }',
      'delete table inet other',
      'flush table ip panel',
    ]) {
      nft(text)
      assert.equal(await host.call('fingerprint', rules), before, text)
    }
    host.run('ip', ['link', 'set', 'lo', 'up'])
    nft('reset counters table inet panel')
    assert.equal(await host.call('fingerprint', rules), before, 'counters were reset')
  })

  it('is one where there is no table, too', async () => {
    nft('table inet panel { }\ndelete table inet panel')
    assert.equal(typeof (await host.call('fingerprint', [])), 'string')
  })
})
