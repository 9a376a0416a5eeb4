// The shipped helper on a real kernel, spoken to by hand and by a hostile far end: it lives, refuses, and the kernel is
// unchanged.
import assert from 'node:assert/strict'
import { repetitions } from '../support/counts.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { bySystemd, exampleTunnel } from '../support/example.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putDriver, putPanel } from './panel/bundles.ts'
import { Panel } from './panel/panel.ts'

const REQUESTS = repetitions('PANEL_LAB_REQUESTS')
/** Some three hundred a second are answered where nothing else runs. */
const SLOWEST_MS = 120_000 + REQUESTS * 20

describe('The helper by hand', function () {
  let lab: Lab
  let panel: Panel

  before(async () => {
    lab = await startLab()
    const { a } = await lab.twoServers()
    await putPanel(lab)
    panel = new Panel(a)
    await panel.startHelper()
    // The modules' own links appear with the first question, and then stay.
    await panel.request('host.probe', { parts: ['link_kinds'] })
  })
  after(() => lab?.stop())

  it('makes, verifies, shows and removes a tunnel, each by one line through socat', async () => {
    const before = await panel.picture()
    const tunnel = exampleTunnel()
    assert.equal((await panel.request('tunnel.apply', { before: null, after: tunnel })).outcome, 'applied')
    assert.equal((await panel.request('tunnel.verify', { before: null, after: tunnel })).ok, true)
    const { tunnels } = await panel.request('tunnel.probe', { interface_names: [] })
    assert.deepEqual(
      tunnels.map(({ state, observed }) => [state, observed?.oper_state]),
      [[tunnel, 'UNKNOWN']],
    )
    await assert.rejects(
      panel.request('tunnel.apply', { before: null, after: tunnel }),
      /does not hold the state that this change starts from/,
    )
    assert.equal((await panel.request('tunnel.apply', { before: tunnel, after: null })).outcome, 'applied')
    assert.equal(await panel.picture(), before)
  })

  it('leaves a foreign GRE link alone, whatever the request, until it is adopted', async () => {
    await panel.server.run(
      'ip link add theirs type gre local 192.0.2.1 remote 192.0.2.99 key 7 && ip address add 10.10.7.1/30 dev theirs && ip link set theirs up',
    )
    const {
      tunnels: [found],
    } = await panel.request('tunnel.probe', { interface_names: ['theirs'] })
    const { state: before = null, is_ours } = found ?? {}
    assert.ok(before?.link)
    assert.equal(is_ours, false)
    const { link } = before
    const withConfig = (fields: object): TunnelState => ({
      ...before,
      link: { ...link, config: { ...link.config, ...fields } },
    })
    const picture = await panel.picture()
    const address = { address: '10.10.8.1', peer_address: '', prefix_length: 30 }
    for (const after of [
      null,
      withConfig({ mtu: 1300 }),
      withConfig({ addresses: [address] }),
      { ...before, link: { ...link, is_up: false } },
      { ...before, saved: bySystemd(link.config) },
    ])
      await assert.rejects(
        panel.request('tunnel.apply', { before, after }),
        /theirs was not made by the panel: adopt it/,
      )
    await panel.request('tunnel.adopt', { interface_name: 'theirs', link })
    assert.equal(await panel.picture(), picture)
    const changed = withConfig({ mtu: 1300, addresses: [address] })
    assert.equal((await panel.request('tunnel.apply', { before, after: changed })).outcome, 'applied')
    assert.equal((await panel.request('tunnel.apply', { before: changed, after: null })).outcome, 'applied')
    assert.match((await panel.server.try('ip link show theirs')).stderr, /does not exist/)
  })

  it('lets only its owner and its group connect', async () => {
    assert.match(await lab.run('stat', ['-c', '%a %u %g', panel.socket]), /^660 0 61184/)
    const stranger = await panel.server.try('setpriv', [
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      'socat',
      '-',
      `UNIX-CONNECT:${panel.socket}`,
    ])
    assert.match(stranger.stderr, /Permission denied/)
  })

  it(`survives ${REQUESTS} mutated requests, and the kernel is as it was`, async () => {
    const before = await panel.picture()
    const script = await putDriver(lab, 'support/socket-fuzz.ts')
    const counted = JSON.parse(
      await panel.server.run('node', [script, panel.socket, `${REQUESTS}`], { timeoutMs: SLOWEST_MS }),
    ) as { sent: number; refused: number; closed: number; internal: number }
    assert.equal(counted.sent, REQUESTS)
    assert.equal(counted.internal, 0)
    assert.ok(counted.refused > (REQUESTS * 5) / 6, JSON.stringify(counted))
    assert.equal(await panel.picture(), before)
    assert.equal((await panel.request('tunnel.probe', { interface_names: [] })).tunnels.length, 0)
  })
})
