// The shipped helper on a real kernel, spoken to by hand and by a hostile far end: it lives, refuses, and the kernel is
// unchanged.
import assert from 'node:assert/strict'
import { repetitions } from '../support/counts.ts'
import { exampleTunnel } from '../support/example.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putDriver, putPanel } from './panel/bundles.ts'
import { Panel } from './panel/panel.ts'

const REQUESTS = repetitions('PANEL_LAB_REQUESTS')
/** Some three hundred a second are answered where nothing else runs. */
const SLOWEST_MS = 120_000 + REQUESTS * 20

describe('The helper by hand', function () {
  this.timeout(600_000 + SLOWEST_MS)
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
