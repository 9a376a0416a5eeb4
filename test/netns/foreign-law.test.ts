// Hand-written firewalls beside a relay in a real kernel: what is found for certain to stop the relay stops it, where
// nothing is found it relays, and following the remedies lets it through.
import assert from 'node:assert/strict'
import { ForeignLaw, type Found } from './foreign-law.ts'
import { RelayRig } from './relay-rig.ts'

const forward = (policy: 'accept' | 'drop', rules: string, more = '') =>
  `table inet theirs {\n${more}\n chain forward {\n type filter hook forward priority filter; policy ${policy};\n${rules}\n }\n}\n`
const early = (priority: string | number, rules: string, hook = 'prerouting', type = 'filter') =>
  `table ip theirs {\n chain early {\n type ${type} hook ${hook} priority ${priority};\n${rules}\n }\n}\n`
const STATES = 'ct state vmap { established : accept, related : accept, invalid : drop }'
const CHAINS = ' chain wan {\n tcp dport 80 accept\n }\n chain nothing { }\n chain drops {\n drop\n }'

const FIREWALLS: readonly (readonly [title: string, found: Found, ruleset: string])[] = [
  // The guides to hand-written files.
  ['a map of states and nothing new', 'stops', forward('drop', STATES)],
  ['a map of states and an accept of the port', 'nothing', forward('drop', `${STATES}\n tcp dport 80 accept`)],
  ['a set of states alone', 'stops', forward('drop', 'ct state { established, related } accept')],
  [
    'a list of states, and a drop of what is invalid',
    'stops',
    forward('drop', 'ct state established,related accept\n ct state invalid drop'),
  ],
  ['a drop of all but one state', 'stops', forward('accept', 'ct state != established drop')],
  ['a drop of all but several states', 'stops', forward('accept', 'ct state != { established, related } drop')],
  ['a drop of all but a list, which is all', 'stops', forward('accept', 'ct state != established,related drop')],
  ['an accept of what is new alone', 'stops', forward('drop', 'ct state new accept')],
  [
    'an accept of new packets and of replies alone',
    'stops',
    forward('drop', 'ct state new accept\n ct direction reply accept'),
  ],
  [
    'a named map of interfaces that leads nowhere',
    'stops',
    forward(
      'drop',
      'iifname vmap @way',
      `${CHAINS}\n map way {\n type ifname : verdict\n elements = { "lo" : accept, "near0" : jump nothing }\n }`,
    ),
  ],
  [
    'a map of interfaces that leads to an accept',
    'nothing',
    forward('drop', 'ct state established accept\n iifname vmap { "lo" : accept, "near0" : jump wan }', CHAINS),
  ],
  [
    'a map of interfaces that leads to a drop by goto',
    'stops',
    forward('accept', 'iifname vmap { "lo" : accept, "far0" : goto drops }', CHAINS),
  ],
  [
    'a goto that accepts nothing, ahead of an accept',
    'stops',
    forward('drop', 'ip daddr 10.9.0.0/24 goto nothing\n accept', CHAINS),
  ],
  [
    'a jump that accepts nothing, ahead of an accept',
    'nothing',
    forward('drop', 'ip daddr 10.9.0.0/24 jump nothing\n accept', CHAINS),
  ],
  [
    'a map of protocols and ports',
    'nothing',
    forward(
      'drop',
      'ct state established accept\n meta l4proto . th dport vmap { tcp . 22 : drop, tcp . 70-90 : accept }',
    ),
  ],
  [
    'a map of protocols and other ports',
    'stops',
    forward(
      'drop',
      'ct state established accept\n meta l4proto . th dport vmap { tcp . 22 : accept, udp . 80 : accept }',
    ),
  ],
  ['a map of protocols', 'stops', forward('accept', 'ip protocol vmap { tcp : jump drops, udp : accept }', CHAINS)],
  ['a map of addresses with a rest', 'stops', forward('accept', 'ip daddr vmap { 10.8.0.0/16 : accept, * : drop }')],
  ['a map of pairs of interfaces', 'stops', forward('drop', 'iifname . oifname vmap { "far0" . "near0" : accept }')],
  [
    'a map of states and interfaces',
    'nothing',
    forward(
      'drop',
      'ct state . iifname vmap { new . "near0" : accept, established . "near0" : accept, established . "far0" : accept }',
    ),
  ],
  ['a map by what cannot be read', 'unsure', forward('accept', 'meta length vmap { 0-39 : drop, 40-20000 : accept }')],
  ['a set of ports', 'stops', forward('drop', 'ct state established accept\n tcp dport { 22, 443 } accept')],
  ['a set with the port', 'nothing', forward('drop', 'ct state established accept\n tcp dport { 22, 80 } accept')],
  ['a drop of all ports but one', 'stops', forward('accept', 'tcp dport != 22 drop')],
  ['a drop of all but several ports', 'stops', forward('accept', 'tcp dport != { 22, 30-79 } drop')],
  ['a drop of all ports but its own', 'stops', forward('accept', 'tcp dport != 80 drop')],
  ['a drop of ports above', 'nothing', forward('accept', 'tcp dport >= 90 ct direction original drop')],
  ['an interface by number', 'stops', forward('accept', 'meta iif near0 drop')],
  ['the other interface', 'stops', forward('accept', 'oifname { "wg0", "near*" } drop')],
  ['another interface', 'nothing', forward('accept', 'iifname { "wg0", "eth*" } drop')],
  ['an accept of the interfaces of both directions', 'nothing', forward('drop', 'iifname { "near0", "far0" } accept')],
  ['a range of addresses', 'stops', forward('accept', 'ip daddr 10.9.0.1-10.9.0.9 drop')],
  [
    'a named set of networks',
    'stops',
    forward(
      'accept',
      'ip saddr @private drop',
      ' set private {\n type ipv4_addr\n flags interval\n elements = { 10.9.0.0/16, 192.168.0.0/16 }\n }',
    ),
  ],
  [
    'a named set of other networks',
    'nothing',
    forward(
      'accept',
      'ip daddr @private ct direction original drop',
      ' set private {\n type ipv4_addr\n flags interval\n elements = { 172.16.0.0/12, 192.168.0.0/16 }\n }',
    ),
  ],
  [
    'a set that changes by itself',
    'unsure',
    forward('accept', 'ip saddr @banned drop', ' set banned {\n type ipv4_addr\n timeout 1h\n }'),
  ],
  ['an accept of what is translated', 'nothing', forward('drop', 'ct status dnat accept')],
  [
    'an accept by what the connection was sent to',
    'nothing',
    forward('drop', 'meta l4proto tcp ct original proto-dst 1001 accept'),
  ],
  [
    'an accept by what another connection was sent to',
    'stops',
    forward('drop', 'meta l4proto tcp ct original proto-dst 1002 accept'),
  ],
  ['an accept of its listener’s address', 'nothing', forward('drop', 'ct original ip daddr 198.51.100.0/24 accept')],
  ['a drop by a mark that nobody sets', 'nothing', forward('accept', 'meta mark & 0x8000 == 0x8000 drop')],
  ['a limit', 'unsure', forward('drop', 'limit rate 1000/second accept')],
  ['a type of address', 'nothing', forward('accept', 'fib daddr type { broadcast, multicast, local } drop')],
  // The guides against floods.
  ['private sources ahead of the translation', 'stops', early(-150, 'ip saddr 10.0.0.0/8 iifname != "lo" drop')],
  [
    'private sources ahead of connection tracking',
    'stops',
    early(-300, 'ip saddr { 10.9.0.0/16, 172.16.0.0/12 } iifname != "lo" drop'),
  ],
  ['private sources behind the translation', 'stops', early(-50, 'ip saddr 10.9.0.0/16 drop')],
  ['private destinations behind the translation', 'stops', early(-50, 'ip daddr 10.9.0.0/16 drop')],
  ['one client', 'unsure', early(-150, 'ip saddr 203.0.113.7 drop')],
  ['replies to private clients', 'unsure', forward('accept', 'ip daddr 10.0.0.0/8 ct direction reply drop')],
  ['private destinations ahead of the translation', 'nothing', early(-150, 'ip daddr 10.9.0.2 drop')],
  ['sources on another interface', 'unsure', early(-150, 'ip saddr 10.9.0.0/16 iifname "near0" drop')],
  ['the port of the listener', 'stops', early(-150, 'tcp dport 1001 drop')],
  ['the port that a reply comes from', 'stops', early(-150, 'tcp sport 80 drop')],
  ['what is invalid, before anything is tracked', 'stops', early(-300, 'ct state invalid drop')],
  ['what is invalid, once it is tracked', 'nothing', early(-150, 'ct state invalid drop')],
  ['no interface to go out by', 'stops', early(-150, 'oifname != "far0" drop')],
  ['replies on their way out', 'stops', early(50, 'ip saddr 10.9.0.2 drop', 'postrouting')],
  [
    'replies with their source translated',
    'stops',
    early(150, 'ip saddr 198.51.100.1 tcp sport 1001 drop', 'postrouting'),
  ],
  ['requests on their way out', 'stops', early(50, 'ip daddr 10.9.0.2 tcp dport 80 drop', 'postrouting')],
  [
    'a chain of the type nat, whose place is behind the panel’s',
    'nothing',
    early(-90, 'ip daddr 10.9.0.2 drop', 'prerouting', 'nat'),
  ],
  ['a chain of the type nat ahead of the panel’s', 'stops', early(-110, 'tcp dport 1001 drop', 'prerouting', 'nat')],
  [
    'a chain of the type nat ahead of the panel’s that drops what comes back',
    'nothing',
    early(-110, 'tcp sport 80 drop', 'prerouting', 'nat'),
  ],
  [
    'a device’s own chain',
    'unsure',
    'table netdev theirs {\n chain in {\n type filter hook ingress device far0 priority 0;\n ip saddr 10.0.0.0/8 drop\n }\n}\n',
  ],
  // What is not tracked.
  ['notrack of what the rule listens for', 'stops', early('raw', 'tcp dport 1001 notrack')],
  ['notrack of replies', 'stops', early('raw', 'ip saddr 10.9.0.2 tcp sport 80 notrack')],
  [
    'notrack of what comes to an address of the host, which may be the one that hides clients',
    'unsure',
    early('raw', 'ip daddr 10.9.0.0/24 notrack'),
  ],
  ['notrack of what comes to no address of the host', 'nothing', early('raw', 'ip daddr 10.7.0.0/24 notrack')],
  ['notrack of something else', 'nothing', early('raw', 'udp dport 53 notrack\n tcp dport 1002 notrack')],
  ['notrack once it is tracked', 'nothing', early(-150, 'tcp dport 1001 notrack')],
  [
    'notrack of all but what an accept lets pass',
    'nothing',
    early('raw', 'tcp dport 1001 accept\n tcp sport 80 accept\n notrack'),
  ],
  ['a zone for one direction', 'stops', early('raw', 'iifname near0 ct zone set 5')],
  ['a zone for the other direction', 'stops', early('raw', 'ip saddr 10.9.0.2 ct zone set 5')],
  ['a zone for everything', 'nothing', early('raw', 'ct zone set 5')],
  ['the same zone by two rules', 'unsure', early('raw', 'iifname near0 ct zone set 5\n iifname far0 ct zone set 5')],
  [
    'a proxy for handshakes',
    'unsure',
    early('raw', 'tcp dport 1002 notrack') + forward('accept', 'tcp dport 80 synproxy mss 1460 wscale 7'),
  ],
]

describe('A hand-written firewall beside a relay', function () {
  const rig = new RelayRig()
  const law = new ForeignLaw(rig)
  before(async () => {
    await law.open()
    assert.equal(await law.relays(), true)
  })
  afterEach(() => law.clear())
  after(() => rig.close())

  for (const [title, found, ruleset] of FIREWALLS)
    it(`is judged as the kernel judges it: ${title}`, async () => {
      rig.relay.nft(ruleset)
      const finding = await law.find()
      const relays = await law.relays()
      assert.equal(finding.found, found, finding.texts.join('; '))
      if (found === 'stops') assert.equal(relays, false)
      if (found === 'nothing') assert.equal(relays, true)
      if (found !== 'stops') return
      const left = await law.follow()
      assert.notEqual(left, 'stops')
      if (left === 'nothing') assert.equal(await law.relays(), true, finding.commands.join('; '))
    })
})
