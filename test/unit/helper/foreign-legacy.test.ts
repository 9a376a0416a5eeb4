// What is read of the tables of iptables-legacy, which nft does not list, and which of it is seen to drop a relay.
import assert from 'node:assert/strict'
import { nothingForeign, type ForeignFound } from '@panel/shared/foreign/model.ts'
import { joinedWithLegacy, readLegacy } from '@panel/shared/foreign/read-legacy.ts'
import { METHODS } from '@panel/shared/rpc/methods.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { withLegacy } from '@panel/root-helper/kernel/iptables/legacy-tables.ts'
import { Ajv } from 'ajv'
import { blockOf, reading, relay, verdict, AROUND } from '../../support/relay-verdict.ts'

const filter = (policy: string, ...lines: string[]): string =>
  `*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ${policy} [0:0]\n:OUTPUT ACCEPT [0:0]\n:THEIRS - [0:0]\n${lines.join('\n')}\nCOMMIT\n`
const found = (saved: string, family: 4 | 6 = 4): ForeignFound =>
  joinedWithLegacy(nothingForeign(''), readLegacy(saved, family))
const rule = (line: string): string => reading(found(filter('ACCEPT', `-A FORWARD ${line}`)).rules[0] ?? assert.fail())
const PLACE = 'ip filter (iptables-legacy), FORWARD'

describe('The tables of iptables-legacy', () => {
  it('are read in the words of the method that reports them', () => {
    const validate = new Ajv({ strict: false }).compile(METHODS['netfilter.probe'].result)
    assert.ok(
      validate(found(filter('DROP', '-A FORWARD -j THEIRS', '-A THEIRS -p tcp -j REJECT'))),
      JSON.stringify(validate.errors),
    )
  })

  it('have conditions and verdicts that are read as those of nft are', () => {
    const lines: [string, string][] = [
      ['-j ACCEPT', 'accept'],
      [
        '-d 10.9.0.2/32 -p tcp -m tcp --dport 8443 -j DROP',
        'family=ip destination=10.9.0.2 protocol=tcp destination_port=8443 drop',
      ],
      [
        '-d 10.9.0.0/16 -i eth0 -o gre1 -j REJECT --reject-with icmp-port-unreachable',
        'family=ip destination=10.9.0.0/16 in_interface=eth0 out_interface=gre1 reject',
      ],
      ['-p udp -m multiport --dports 80:90,91 -j DROP', 'protocol=udp destination_port=80-90,91 drop'],
      ['-p udp -m multiport ! --sports 80,443 -j DROP', 'protocol=udp source_port!=80,443 drop'],
      ['-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT', 'ct=related,established accept'],
      ['-m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP', 'ct!=related,established,dnat drop'],
      ['-m state --state NEW -j THEIRS', 'ct=new jump THEIRS'],
      ['-m conntrack --ctstatus DNAT -j ACCEPT', 'ct=dnat accept'],
      ['-m conntrack --ctstate DNAT -j ACCEPT', 'ct=dnat accept'],
      [
        '-p tcp -m conntrack --ctorigdst 192.0.2.1 --ctorigdstport 443 --ctdir ORIGINAL -j ACCEPT',
        'protocol=tcp original_destination=192.0.2.1 original_port=443 direction=original accept',
      ],
      ['-m comment --comment "let \\"it\\" through -j DROP" -g THEIRS', 'goto THEIRS'],
      ['-j LOG --log-prefix "a b "', 'none'],
      ['-p tcp -m tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu', 'protocol=tcp none ?'],
      ['-p tcp -m tcp --syn -j DROP', 'protocol=tcp drop ?'],
      ['-s 10.0.0.0/8 ! -i lo -j DROP', 'family=ip source=10.0.0.0/8 in_interface!=lo drop'],
      ['! -s 192.0.2.0/24 -j DROP', 'family=ip source!=192.0.2.0/24 drop'],
      ['-m iprange --src-range 10.0.0.1-10.0.0.9 -j DROP', 'family=ip source=10.0.0.1-10.0.0.9 drop'],
      ['-i eth+ -j DROP', 'in_interface=eth* drop'],
      ['-m addrtype --dst-type LOCAL -j DROP', 'destination_type=local drop'],
      ['-m mark --mark 0x8000/0x8000 -j DROP', 'mark=32768 drop'],
      ['-m set --match-set bad dst -j DROP', 'drop ?'],
      ['-m statistic --mode random --probability 0.5 -j DROP', 'drop ?'],
      ['-p udp -j CT --notrack', 'protocol=udp none +notrack'],
      ['-p udp -j NOTRACK', 'protocol=udp none +notrack'],
      ['-i eth0 -j CT --zone 5', 'in_interface=eth0 none +zone'],
      ['-i eth0 -j CT --zone-orig 5', 'in_interface=eth0 none +zone ?'],
      ['-p tcp -j SYNPROXY --sack-perm', 'protocol=tcp other +synproxy'],
      ['-j CT --helper ftp', 'none'],
      ['-j MARK --set-xmark 0x1/0xffffffff', 'none +packet_mark'],
      ['-j CONNMARK --save-mark', 'none +connection_mark'],
      ['-j CONNMARK --restore-mark', 'none +packet_mark'],
      ['-j NFQUEUE --queue-num 0', 'other ?'],
    ]
    for (const [line, read] of lines) assert.equal(rule(line), read, line)
  })

  it('drop a relay for certain by their policy, and are let through by the words of that variant', () => {
    assert.equal(verdict(found(filter('DROP'))), `sure: ${PLACE}: policy drop`)
    assert.match(
      blockOf(relay(), found(filter('DROP')), AROUND)?.remedy.message ?? '',
      /iptables-legacy -I FORWARD -p tcp -d 10\.9\.0\.2 --dport 8443 -j ACCEPT/,
    )
    assert.equal(verdict(found(filter('DROP'), 6)), 'clear')
    assert.equal(
      verdict(found(filter('DROP', '-A FORWARD -m statistic --mode random --probability 0.5 -j ACCEPT'))).split(':')[0],
      'unsure',
    )
    assert.equal(verdict(found(filter('DROP', '-A FORWARD -m conntrack --ctstatus DNAT -j ACCEPT'))), 'clear')
    assert.equal(
      verdict(found(filter('ACCEPT', '-A FORWARD -j THEIRS', '-A THEIRS -p tcp -j DROP'))),
      'sure: ip filter (iptables-legacy), THEIRS: -p tcp -j DROP',
    )
  })

  it('are the foreign ones alone, if they hold the relay rules too', () => {
    const saved =
      '*nat\n:PREROUTING ACCEPT [0:0]\n:PANEL-IN - [0:0]\n:DOCKER - [0:0]\n-A PREROUTING -j PANEL-IN\n-A PREROUTING -j DOCKER\n-A PANEL-IN -p tcp -j DNAT --to-destination 10.9.0.2\nCOMMIT\n'
    const { chains, rules } = found(saved)
    assert.deepEqual(
      chains.map(({ chain }) => chain),
      ['PREROUTING', 'DOCKER'],
    )
    assert.deepEqual(rules.map(reading), ['jump DOCKER'])
  })

  it('leave the listing in part where they cannot be read', async () => {
    const nft = { foreign: async () => nothingForeign('') }
    const read = () => Promise.reject(new KernelError('ENOENT', 'iptables-legacy is not installed'))
    const { is_readable, is_whole, detail } = await withLegacy(nft, { read }).foreign()
    assert.deepEqual([is_readable, is_whole], [true, false])
    assert.match(detail, /tables of iptables-legacy are not among them: iptables-legacy is not installed/)
    assert.equal((await withLegacy(nft, { read: async () => null }).foreign()).is_whole, true)
  })
})
