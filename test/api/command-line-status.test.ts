// tunnel-panel status (reference.md, Command line): how everything is, in lines, as JSON and by the exit code.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startCommandLine, type CommandLine, type Ended } from './support/command-line.ts'
import { createRoute } from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'

describe('tunnel-panel status', function () {
  let command: CommandLine
  beforeEach(async () => {
    command = await startCommandLine()
    units('active')
  })
  afterEach(() => command.close())

  /** What systemd says of both daemons. */
  const units = (state: string): void =>
    writeFileSync(join(command.folder, 'systemctl'), `#!/bin/sh\necho ${state}\n`, { mode: 0o755 })
  const status = (...args: string[]): Promise<Ended> =>
    command.runScript(['status', ...args], { PATH: `${command.folder}:${process.env['PATH']}` })

  it('shows both daemons, the health of the panel and that there is nothing else, and exits with 0', async () => {
    const { code, out, output } = await status()
    assert.deepEqual([code, output], [0, ''])
    assert.match(out, /^tunnel-panel-helper +active\ntunnel-panel-web +active\nHealth of the panel: ok\n/)
    assert.match(out, /^ {2}database +ok +\S.*$/m)
    assert.match(out, /\nTunnels: none\nRelay rules: none\n$/)
  })

  it('has a line for each tunnel and each rule; what is not to be monitored does not count', async () => {
    await createTunnel(command.operator)
    await command.operator.post('/tunnels/1/monitor/disable')
    await createTunnel(command.operator, { remote_endpoint: '198.51.100.8', is_enabled: false })
    await createRoute(command.operator, { route_rule_title: 'game' })
    const { code, out } = await status()
    assert.equal(code, 0)
    assert.match(
      out,
      /^Tunnels: 0 of 2 up\n {2}1 {2}gre-a-1 {2}unknown +Not monitored: .*\n {2}2 {2}gre-a-2 {2}disabled$/m,
    )
    assert.match(out, /^Relay rules: 1 of 1 up\n {2}1 {2}game {2}up$/m)
  })

  it('exits with 1 where a tunnel is down, and says why', async () => {
    await createTunnel(command.operator)
    await command.panel.kernel.links.delete('gre-a-1')
    const { code, out } = await status()
    assert.equal(code, 1)
    assert.match(out, /^ {2}1 {2}gre-a-1 {2}down +The interface is missing on this host\.$/m)
  })

  it('exits with 1 where a daemon is down, and with 6 where that is not known', async () => {
    units('failed')
    assert.equal((await status()).code, 1)
    units('activating')
    assert.equal((await status()).code, 6)
  })

  it('exits with 6 where nothing is down and a state is not known yet', async () => {
    await createTunnel(command.operator)
    const { code, out } = await status()
    assert.equal(code, 6)
    assert.match(out, /^ {2}1 {2}gre-a-1 {2}unknown +Monitoring has not started$/m)
  })

  it('exits with 1 where the panel does not answer, and says what is not known', async () => {
    await command.panel.listeners.stop(100)
    const { code, out } = await status()
    assert.equal(code, 1)
    assert.match(
      out,
      /^The panel does not answer at http:\S+ \(ECONNREFUSED\).*\nTunnels: not known\nRelay rules: not known$/m,
    )
  })

  it('shows the same as JSON', async () => {
    await createTunnel(command.operator)
    const { code, out } = await status('--json')
    const { state, units: known, health, tunnels, routes, problem } = JSON.parse(out) as Record<string, unknown>
    assert.deepEqual([code, state, problem], [6, 'unknown', ''])
    assert.deepEqual(known, [
      { name: 'tunnel-panel-helper', state: 'active' },
      { name: 'tunnel-panel-web', state: 'active' },
    ])
    assert.equal((health as { status: string }).status, 'ok')
    assert.deepEqual(tunnels, [{ id: 1, name: 'gre-a-1', state: 'unknown', why: 'Monitoring has not started' }])
    assert.deepEqual(routes, [])
    assert.equal((await status('--nonsense')).code, 2)
  })
})
