// What tools put into netfilter beside a relay: it is found what they do to it, or that they do nothing, as the packets
// show. ufw and firewalld are the real ones; the other rules are as the tools write them.
import assert from 'node:assert/strict'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import { casesOf } from '../support/counts.ts'
import { ForeignLaw, type Found } from './foreign-law.ts'
import { firewalld, ufw } from './foreign-tools.ts'
import { RelayRig } from './relay-rig.ts'

interface Tool {
  readonly title: string
  readonly found: Found
  /** Part of the remedy, if there is one. */
  readonly remedy?: RegExp
  readonly up: (rig: RelayRig, variant: 'nft' | 'legacy') => void
}

const restored =
  (...lines: readonly string[]): Tool['up'] =>
  ({ relay }, variant) =>
    void relay.run(`iptables-${variant}-restore`, ['--noflush'], `${lines.join('\n')}\n`)

/** The network of virtual machines behind a bridge, as libvirt has it by default. */
const libvirt = (bridge: string, network: string): Tool['up'] =>
  restored(
    '*filter',
    ...[':LIBVIRT_FWI - [0:0]', ':LIBVIRT_FWO - [0:0]', ':LIBVIRT_FWX - [0:0]', ':LIBVIRT_INP - [0:0]'],
    ...[
      '-A INPUT -j LIBVIRT_INP',
      '-A FORWARD -j LIBVIRT_FWX',
      '-A FORWARD -j LIBVIRT_FWI',
      '-A FORWARD -j LIBVIRT_FWO',
    ],
    `-A LIBVIRT_FWI -d ${network} -o ${bridge} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
    `-A LIBVIRT_FWI -o ${bridge} -j REJECT --reject-with icmp-port-unreachable`,
    `-A LIBVIRT_FWO -s ${network} -i ${bridge} -j ACCEPT`,
    `-A LIBVIRT_FWO -i ${bridge} -j REJECT --reject-with icmp-port-unreachable`,
    `-A LIBVIRT_FWX -i ${bridge} -o ${bridge} -j ACCEPT`,
    `-A LIBVIRT_INP -i ${bridge} -p udp -m udp --dport 53 -j ACCEPT`,
    'COMMIT',
    '*nat',
    ':LIBVIRT_PRT - [0:0]',
    '-A POSTROUTING -j LIBVIRT_PRT',
    `-A LIBVIRT_PRT -s ${network} -d 224.0.0.0/24 -j RETURN`,
    `-A LIBVIRT_PRT -s ${network} ! -d ${network} -p tcp -j MASQUERADE --to-ports 1024-65535`,
    'COMMIT',
  )

/** A node of Kubernetes with one service; `external` is the address of another, which has no endpoints. */
const kubeProxy = (external: string): Tool['up'] =>
  restored(
    '*filter',
    ...[
      ':KUBE-EXTERNAL-SERVICES - [0:0]',
      ':KUBE-FIREWALL - [0:0]',
      ':KUBE-FORWARD - [0:0]',
      ':KUBE-PROXY-FIREWALL - [0:0]',
    ],
    '-A FORWARD -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL',
    '-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD',
    '-A FORWARD -m conntrack --ctstate NEW -m comment --comment "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES',
    '-A OUTPUT -j KUBE-FIREWALL',
    '-A INPUT -j KUBE-FIREWALL',
    '-A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP',
    '-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP',
    '-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x4000/0x4000 -j ACCEPT',
    '-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
    `-A KUBE-EXTERNAL-SERVICES -d ${external}/32 -p tcp -m comment --comment "default/web has no endpoints" -m tcp --dport 80 -j REJECT --reject-with icmp-port-unreachable`,
    'COMMIT',
    '*nat',
    ...[':KUBE-MARK-MASQ - [0:0]', ':KUBE-NODEPORTS - [0:0]', ':KUBE-POSTROUTING - [0:0]', ':KUBE-SERVICES - [0:0]'],
    '-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
    '-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING',
    '-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000',
    '-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN',
    '-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0',
    '-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE',
    '-A KUBE-SERVICES ! -s 10.244.0.0/16 -d 10.96.0.1/32 -p tcp -m tcp --dport 443 -j KUBE-MARK-MASQ',
    '-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS',
    'COMMIT',
  )

/** A tunnel that is the default route, as wg-quick writes it with iptables. */
const wgQuick = (device: string, address: string): Tool['up'] =>
  restored(
    '*raw',
    `-I PREROUTING ! -i ${device} -d ${address} -m addrtype ! --src-type LOCAL -m comment --comment "wg-quick(8) rule for ${device}" -j DROP`,
    'COMMIT',
    '*mangle',
    `-I POSTROUTING -m mark --mark 51820 -p udp -m comment --comment "wg-quick(8) rule for ${device}" -j CONNMARK --save-mark`,
    `-I PREROUTING -p udp -m comment --comment "wg-quick(8) rule for ${device}" -j CONNMARK --restore-mark`,
    'COMMIT',
  )

const wgQuickNft =
  (device: string, address: string): Tool['up'] =>
  ({ relay }) =>
    void relay.nft(`table ip wg-quick-${device} {
 chain preraw { type filter hook prerouting priority -300;
  iifname != "${device}" ip daddr ${address} fib saddr type != local drop
 }
 chain premangle { type filter hook prerouting priority -150;
  meta l4proto udp meta mark set ct mark
 }
 chain postmangle { type filter hook postrouting priority -150;
  meta l4proto udp meta mark 51820 ct mark set meta mark
 }
}
`)

const TOOLS: readonly Tool[] = [
  {
    title: 'ufw, which routes nothing by default',
    found: 'stops',
    remedy: /^ufw route allow proto tcp to 10\.9\.0\.2 port 80$/,
    up: (rig) => void rig.relay.run(ufw(rig), ['--force', 'enable']),
  },
  {
    title: 'firewalld, which accepts what is translated',
    found: 'nothing',
    up: (rig) => firewalld(rig, ['public=near0', 'internal=far0']),
  },
  { title: 'libvirt with a network elsewhere', found: 'nothing', up: libvirt('virbr0', '192.168.122.0/24') },
  {
    title: 'libvirt with the network of the destination',
    found: 'stops',
    remedy: /^iptables(?:-legacy)? -I FORWARD -p tcp -d 10\.9\.0\.2 --dport 80 -j ACCEPT$/,
    up: libvirt('far0', '10.9.0.0/24'),
  },
  { title: 'kube-proxy with services elsewhere', found: 'nothing', up: kubeProxy('203.0.113.80') },
  {
    // Marked packets are accepted ahead of it, and another rule marks packets.
    title: 'kube-proxy with a service without endpoints at the destination',
    found: 'unsure',
    up: kubeProxy('10.9.0.2'),
  },
  { title: 'wg-quick by iptables', found: 'nothing', up: wgQuick('wg0', '10.66.0.2') },
  { title: 'wg-quick by iptables for the way to the destination', found: 'nothing', up: wgQuick('far0', '10.9.0.1') },
  { title: 'wg-quick by nft', found: 'nothing', up: wgQuickNft('wg0', '10.66.0.2') },
  {
    title: 'a file against floods by iptables',
    found: 'stops',
    remedy: /^iptables(?:-legacy)? -t mangle -I PREROUTING -p tcp -s 10\.9\.0\.2 --sport 80 -j ACCEPT$/,
    up: restored(
      '*mangle',
      '-A PREROUTING -m conntrack --ctstate INVALID -j DROP',
      '-A PREROUTING -s 224.0.0.0/3 -j DROP',
      '-A PREROUTING -s 10.0.0.0/8 ! -i lo -j DROP',
      'COMMIT',
    ),
  },
  {
    title: 'a file that tracks nothing but some ports, by iptables',
    found: 'stops',
    remedy: /^iptables(?:-legacy)? -t raw -I PREROUTING -p tcp -d 198\.51\.100\.1 --dport 1001 -j ACCEPT$/,
    up: restored('*raw', '-A PREROUTING -p tcp -m multiport ! --dports 22,25 -j CT --notrack', 'COMMIT'),
  },
]

for (const backend of ['nftables', 'iptables_nft', 'iptables_legacy'] as const satisfies RuleBackend[])
  describe(`A tool beside rules by ${backend}`, function () {
    const rig = new RelayRig({ PANEL_RULE_BACKEND: backend })
    const law = new ForeignLaw(rig)
    const variant = backend === 'iptables_legacy' ? 'legacy' : 'nft'
    before(async () => {
      await law.open()
      assert.equal(await law.relays(), true)
    })
    after(() => rig.close())

    for (const { title, found, remedy, up } of casesOf(backend, TOOLS))
      it(`is judged by its rules as the kernel judges them: ${title}`, async () => {
        try {
          up(rig, variant)
          // firewalld takes away all rules of iptables when it starts, which the panel puts back.
          await rig.become(law.rule)
          const finding = await law.find()
          assert.equal(finding.found, found, finding.texts.join('; '))
          assert.equal(await law.relays(), found === 'nothing')
          if (!remedy) return
          assert.ok(
            finding.commands.some((command) => remedy.test(command)),
            finding.commands.join('; '),
          )
          assert.notEqual(await law.follow(), 'stops')
          assert.equal(await law.relays(), true)
        } finally {
          await law.clear()
        }
      })
  })
