// Whether a firewall of other software surely drops a tunnel's packets, and what lets them through in its own words
// (decisions.md, D7).
import assert from 'node:assert/strict'
import { readForeign } from '@panel/shared/foreign/read.ts'
import { findGreBlock } from '@panel/shared/foreign/gre-block.ts'

const ENDS = { local_endpoint: '192.0.2.1', remote_endpoint: '198.51.100.7' }
type Hook = 'prerouting' | 'input' | 'output'
const chain = (table: string, name: string, hook: Hook | null, policy = 'accept') => ({
  chain: {
    family: table.split(' ')[0],
    table: table.split(' ')[1],
    name,
    ...(hook && { type: 'filter', hook, prio: 0, policy }),
  },
})
const rule = (table: string, of: string, ...expr: object[]) => ({
  rule: { family: table.split(' ')[0], table: table.split(' ')[1], chain: of, handle: 1, expr },
})
const match = (left: object, right: unknown) => ({ match: { op: '==', left, right } })
const gre = match({ meta: { key: 'l4proto' } }, 'gre')
const block = (nftables: object[], ends = ENDS, device: string | null = 'eth0') =>
  findGreBlock(ends, readForeign(JSON.stringify({ nftables }), ''), device)

describe('A firewall in the way of GRE', () => {
  it('is none where nothing drops it, or only what is of another protocol, interface or connection', () => {
    const table = 'inet f'
    const drops = (...expr: object[]): object[] => [
      chain(table, 'in', 'input'),
      rule(table, 'in', ...expr, { drop: null }),
    ]
    assert.equal(block([chain(table, 'in', 'input')]), null)
    assert.equal(block(drops(match({ meta: { key: 'l4proto' } }, 'udp'))), null)
    assert.equal(block(drops(match({ meta: { key: 'iifname' } }, 'eth1'))), null)
    assert.equal(block(drops(match({ ct: { key: 'state' } }, 'new'))), null)
    const from = (address: string) => match({ payload: { protocol: 'ip', field: 'saddr' } }, address)
    assert.equal(block(drops(from('203.0.113.9'), gre)), null)
    assert.equal(block(drops(from(ENDS.remote_endpoint), gre))?.direction, 'in')
  })

  it('is a rule or a policy that surely drops it, coming or going, of either family', () => {
    const describeBlock = (nftables: object[], ends = ENDS) =>
      (({ chain: of, direction, text } = block(nftables, ends)!) => [of, direction, text.includes('policy')])()
    assert.deepEqual(describeBlock([chain('inet f', 'in', 'input'), rule('inet f', 'in', gre, { drop: null })]), [
      'in',
      'in',
      false,
    ])
    assert.deepEqual(
      describeBlock([
        chain('inet f', 'in', 'input', 'drop'),
        rule('inet f', 'in', match({ meta: { key: 'iifname' } }, 'lo'), { accept: null }),
      ]),
      ['in', 'in', true],
    )
    assert.deepEqual(describeBlock([chain('inet f', 'out', 'output'), rule('inet f', 'out', gre, { reject: null })]), [
      'out',
      'out',
      false,
    ])
    assert.deepEqual(
      describeBlock([chain('ip6 f', 'in', 'input', 'drop')], {
        local_endpoint: '2001:db8::1',
        remote_endpoint: '2001:db8::2',
      }),
      ['in', 'in', true],
    )
    assert.equal(block([chain('ip6 f', 'in', 'input', 'drop')]), null)
  })

  it('is let through in the words of its maker', () => {
    const remedy = (...nftables: object[]): string => block(nftables)?.remedy.message ?? ''
    assert.match(
      remedy(chain('inet f', 'in', 'input', 'drop')),
      /nft insert rule inet f in ip saddr 198\.51\.100\.7 meta l4proto gre accept/,
    )
    assert.match(
      remedy(chain('ip filter', 'INPUT', 'input', 'drop')),
      /iptables -I INPUT -p gre -s 198\.51\.100\.7 -j ACCEPT/,
    )
    assert.match(
      remedy(
        chain('ip filter', 'INPUT', 'input', 'drop'),
        chain('ip filter', 'ufw-before-input', null),
        rule('ip filter', 'INPUT', { jump: { target: 'ufw-before-input' } }),
      ),
      /ufw allow proto gre from 198\.51\.100\.7/,
    )
    assert.match(
      remedy(chain('inet firewalld', 'filter_INPUT', 'input'), rule('inet firewalld', 'filter_INPUT', { drop: null })),
      /firewall-cmd --permanent --add-rich-rule=.*protocol value="gre" accept/,
    )
    assert.match(
      remedy(chain('ip filter', 'OUTPUT', 'output', 'drop')),
      /iptables -I OUTPUT -p gre -d 198\.51\.100\.7 -j ACCEPT/,
    )
  })
})
