// Firewalls at random beside a relay in a real kernel: whatever is found of one, the packets do not contradict it.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { repetitions } from '../support/counts.ts'
import { ForeignLaw } from './foreign-law.ts'
import { RelayRig } from './relay-rig.ts'

const CHAINS = {
  raw: 'prerouting priority raw',
  early: 'prerouting priority mangle',
  late: 'prerouting priority -50',
  forward: 'forward priority filter',
  leaving: 'postrouting priority 50',
  left: 'postrouting priority 150',
} as const
type ChainName = keyof typeof CHAINS
const NAMES = Object.keys(CHAINS) as ChainName[]

const CONDITIONS = [
  ...['ip saddr 10.9.0.2', 'ip saddr 10.0.0.0/8', 'ip saddr != 10.0.0.0/8', 'ip daddr 198.51.100.1'],
  ...['ip daddr 10.9.0.0/24', 'ip daddr != 10.9.0.0/24', 'ip daddr 203.0.113.7', 'ip6 daddr fd00::/8'],
  ...['tcp dport 80', 'tcp dport != 80', 'tcp dport { 22, 1001 }', 'tcp dport != { 22, 1001 }', 'tcp dport 1-1023'],
  ...['tcp sport 80', 'tcp sport != 80', 'udp dport 80', 'th sport 1024-65535', 'meta l4proto { tcp, udp }'],
  ...['ct state new', 'ct state established', 'ct state != new', 'ct state invalid', 'ct state { new, established }'],
  ...['ct direction original', 'ct direction reply', 'ct direction != reply', 'ct status dnat'],
  ...['meta l4proto tcp ct original proto-dst 1001', 'ct original ip daddr 10.0.0.0/8', 'meta nfproto ipv4'],
  ...['iifname "near0"', 'iifname != "near0"', 'oifname "far0"', 'oifname != "near*"', 'iif far0', 'limit rate 1/day'],
  ...[
    'meta mark 0',
    'meta mark & 0xff == 0x1',
    'fib daddr type local',
    'fib saddr type local',
    'fib daddr type != local',
  ],
]
const ENDS = [
  ...['accept', 'drop', 'return', 'jump more', 'goto more', 'counter', 'reject', 'notrack', 'meta mark set 1'],
  'ct state vmap { new : accept, established : jump more }',
  'iifname vmap { "near0" : drop, "far0" : accept }',
  'iifname . oifname vmap { "near0" . "far0" : drop }',
  'meta l4proto . th dport vmap { tcp . 80 : accept, tcp . 1001 : drop }',
  'tcp dport vmap { 80 : jump more, 1001 : accept, 2000-3000 : drop }',
  'ip daddr vmap { 10.9.0.0/24 : accept, * : jump more }',
]

const conditions = fc.array(fc.constantFrom(...CONDITIONS), { maxLength: 2 })
const rules = fc.array(fc.tuple(fc.constantFrom(...NAMES), conditions, fc.constantFrom(...ENDS)), {
  minLength: 1,
  maxLength: 6,
})
/** The chain that some rules lead to leads nowhere itself. */
const more = fc.array(fc.tuple(conditions, fc.constantFrom('accept', 'drop', 'return')), { maxLength: 2 })
const dropping = fc.option(fc.constantFrom(...NAMES), { freq: 1 })

const firewalls = fc.tuple(rules, more, dropping).map(([all, behind, policy]) => {
  const lines = NAMES.map((name) => {
    const own = all.filter(([chain]) => chain === name).map(([, met, end]) => `  ${[...met, end].join(' ')}\n`)
    const verdict = policy === name ? 'drop' : 'accept'
    return ` chain ${name} {\n  type filter hook ${CHAINS[name]}; policy ${verdict};\n${own.join('')} }\n`
  })
  const last = behind.map(([met, end]) => `  ${[...met, end].join(' ')}\n`)
  return `table inet theirs {\n chain more {\n${last.join('')} }\n${lines.join('')}}\n`
})

describe('A firewall at random beside a relay', function () {
  const rig = new RelayRig()
  const law = new ForeignLaw(rig)
  before(() => law.open())
  after(() => rig.close())

  it('stops it if that is found for certain, and lets it relay if nothing is found', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(firewalls, async (firewall) => {
        fc.pre(accepts(firewall))
        try {
          const { found, texts } = await law.find()
          const relays = await law.relays()
          seen.add(found)
          if (found !== 'unsure') assert.equal(relays, found === 'nothing', `${texts.join('; ')}\n${firewall}`)
        } finally {
          rig.relay.nft('delete table inet theirs\n')
        }
      }),
      { numRuns: repetitions('PANEL_FIREWALLS') },
    )
    assert.ok(seen.has('stops') && seen.has('nothing'), [...seen].join())
  })

  /** nft refuses rules that contradict themselves, such as those with two families. */
  function accepts(firewall: string): boolean {
    try {
      rig.relay.nft(firewall)
      return true
    } catch {
      return false
    }
  }
})
