// Files that an earlier version wrote: they are ours still, nothing drifts by them, and the helper renews them.
import assert from 'node:assert/strict'
import { renewFiles } from '@panel/root-helper/nouns/tunnel/renew.ts'
import { probeTunnel } from '@panel/root-helper/nouns/tunnel/probe.ts'
import { byNetworkd, bySystemd, exampleTunnel } from '../../support/example.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { inProcessHelper } from '../../support/in-process-helper.ts'

const FILE = '10-tunnel-panel-gre-a-1.network'
/** As version 0.1.0 wrote it for the example. */
const EARLIER = `# tunnel-panel: {"is_enabled":true,"config":{"addresses":[{"address":"172.17.1.1","peer_address":"","prefix_length":30},{"address":"2001:db8:1::1","peer_address":"","prefix_length":64}]}}
[Match]
Name=gre-a-1

[Link]
ActivationPolicy=up
RequiredForOnline=no

[Network]
LinkLocalAddressing=ipv6
IPv6AcceptRA=no
ConfigureWithoutCarrier=yes
KeepConfiguration=yes

[Address]
Address=172.17.1.1/30
Broadcast=no

[Address]
Address=2001:db8:1::1/64
`

const FAR = {
  remote_endpoint: '192.0.2.77',
  addresses: [{ address: '172.17.7.1', peer_address: '', prefix_length: 30 }],
}

describe('A file that systemd-networkd read before this version', () => {
  const tunnel = exampleTunnel({}, 'gre-a-1', byNetworkd)
  let kernel: FakeKernel
  beforeEach(async () => {
    kernel = new FakeKernel()
    await inProcessHelper(kernel).request('tunnel.apply', { before: null, after: tunnel })
    kernel.files.set(FILE, EARLIER)
  })

  it('says the same tunnel, so nothing drifts by an upgrade', async () => {
    const { state, foreign_files } = await probeTunnel(kernel, 'gre-a-1')
    assert.deepEqual([state, foreign_files], [tunnel, []])
  })

  it('names no kind, and does once a helper of this version has started', async () => {
    await renewFiles(kernel)
    assert.equal(
      kernel.files.get(FILE),
      EARLIER.replace('Name=gre-a-1\n', 'Name=gre-a-1\nKind=gre gretap ip6gre ip6gretap\n'),
    )
    assert.deepEqual((await probeTunnel(kernel, 'gre-a-1')).state, tunnel)
  })

  it('without an address of its own is ours, and has one once a helper of this version has started', async () => {
    for (const [savedAs, file, line] of [
      [bySystemd, 'tunnel-panel-link-tap-1.service', / address 02(:[0-9a-f]{2}){5}/],
      [byNetworkd, '10-tunnel-panel-tap-1.netdev', /MACAddress=02(:[0-9a-f]{2}){5}\n/],
    ] as const) {
      const tap = exampleTunnel({ kind: 'gretap', ...FAR }, 'tap-1', savedAs)
      await inProcessHelper(kernel).request('tunnel.apply', { before: null, after: tap })
      const today = kernel.files.get(file) ?? assert.fail(file)
      const earlier = today.replace(line, '')
      assert.notEqual(earlier, today)
      kernel.files.set(file, earlier)
      assert.deepEqual((await probeTunnel(kernel, 'tap-1')).state, tap)
      await renewFiles(kernel)
      assert.equal(kernel.files.get(file), today)
      await inProcessHelper(kernel).request('tunnel.apply', { before: tap, after: null })
    }
  })

  it('stays as it is where somebody edited it, and where it is of today', async () => {
    kernel.files.set(FILE, `${EARLIER}# mine\n`)
    await renewFiles(kernel)
    assert.equal(kernel.files.get(FILE), `${EARLIER}# mine\n`)
    kernel.files.set(FILE, EARLIER)
    await renewFiles(kernel)
    const changes = kernel.changes.length
    await renewFiles(kernel)
    assert.equal(kernel.changes.length, changes)
  })

  it('can be changed and removed like any other', async () => {
    const { request } = inProcessHelper(kernel)
    const after = exampleTunnel({ addresses: tunnel.link!.config.addresses.slice(0, 1) }, 'gre-a-1', byNetworkd)
    assert.equal((await request('tunnel.apply', { before: tunnel, after })).outcome, 'applied')
    assert.match(kernel.files.get(FILE) ?? '', /^Kind=gre gretap ip6gre ip6gretap$/m)
    assert.equal((await request('tunnel.apply', { before: after, after: null })).outcome, 'applied')
    assert.deepEqual([...kernel.files], [])
  })
})
