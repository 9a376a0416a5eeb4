// The Ethernet address of a TAP tunnel on a real kernel: the same one however the link is made.
import assert from 'node:assert/strict'
import { hardwareAddress } from '@panel/shared/tunnel/hardware-address.ts'
import type { LinkKind, TunnelState } from '@panel/shared/tunnel/model.ts'
import { byNetworkd, exampleTunnel } from '../support/example.ts'
import { startLab, whyNot, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { ON_DISK, Panel, wholeMachine, type Place } from './panel/panel.ts'

const NAME = 'tap-1'
const UNIT = `tunnel-panel-link-${NAME}.service`
const ENDS = {
  gretap: { local_endpoint: '192.0.2.1', remote_endpoint: '192.0.2.2' },
  ip6gretap: { local_endpoint: '2001:db8::1', remote_endpoint: '2001:db8::2' },
} as const
const ADDRESSES = [{ address: '172.17.1.1', peer_address: '', prefix_length: 30 }]

describe('The hardware address of a TAP tunnel', function () {
  let lab: Lab
  let panel: Panel<Place>
  before(async function () {
    const reason = await whyNot()
    if (reason !== undefined) this.skip()
    lab = await startLab()
    await putPanel(lab)
    panel = new Panel(await wholeMachine(lab), ON_DISK)
    await panel.startHelper()
  })
  after(() => lab?.stop())

  const found = async (): Promise<string | undefined> =>
    (JSON.parse(await lab.run(`ip -j link show dev ${NAME}`)) as { address?: string }[])[0]?.address
  const tap = (kind: keyof typeof ENDS, fields: object = {}): TunnelState =>
    exampleTunnel(
      {
        kind: kind satisfies LinkKind,
        ...ENDS[kind],
        addresses: ADDRESSES,
        ...(kind === 'ip6gretap' && { encap_limit: 4 }),
        ...fields,
      },
      NAME,
    )
  const expected = (kind: keyof typeof ENDS): string | null => hardwareAddress(NAME, tap(kind).link!.config)

  for (const kind of ['gretap', 'ip6gretap'] as const)
    it(`of kind ${kind} is the same as it is made, made again, and made by its unit`, async () => {
      assert.equal((await panel.request('tunnel.apply', { before: null, after: tap(kind) })).outcome, 'applied')
      assert.equal(await found(), expected(kind))
      const again = tap(kind, { ttl: 64 })
      assert.equal((await panel.request('tunnel.apply', { before: tap(kind), after: again })).outcome, 'applied')
      assert.equal(await found(), expected(kind))
      await lab.run(`ip link delete ${NAME} && systemctl daemon-reload && systemctl restart ${UNIT}`)
      assert.equal(await found(), expected(kind))
      const [{ state } = { state: null }] = (await panel.request('tunnel.probe', { interface_names: [NAME] })).tunnels
      assert.deepEqual(state, again)
      assert.equal((await panel.request('tunnel.apply', { before: again, after: null })).outcome, 'applied')
    })

  it('is the same as systemd-networkd makes it', async () => {
    await lab.run('systemctl start systemd-networkd')
    const kept = exampleTunnel({ kind: 'gretap', ...ENDS.gretap, addresses: ADDRESSES }, NAME, byNetworkd)
    assert.equal((await panel.request('tunnel.apply', { before: null, after: kept })).outcome, 'applied')
    await lab.run(`ip link delete ${NAME} && networkctl reload`)
    await lab.run(`for try in $(seq 100); do ip link show dev ${NAME} && break; sleep 0.1; done`)
    assert.equal(await found(), expected('gretap'))
    assert.equal((await panel.request('tunnel.apply', { before: kept, after: null })).outcome, 'applied')
  })
})
