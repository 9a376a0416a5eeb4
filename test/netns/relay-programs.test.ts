// Which programs a change of a relay rule starts, in the web daemon and in the root helper, as strace sees them: none
// where elements alone change, and nft for what it has to compile. And none for a change of another program that concerns
// no rule.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import { ProgramTrace } from '../support/program-trace.ts'
import { RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const PLAIN = { bind_address: RELAY, destination_address: ONE, destination_port: 80 }
const PATH = '/routes/1'

describe('A change of one relay rule among others, with its answer', function () {
  const rig = new RelayRig()
  const folder = mkdtempSync(join(tmpdir(), 'panel-programs-'))
  let panel: ReturnType<RelayRig['panel']>
  before(async () => {
    await rig.open()
    panel = rig.panel()
    for (const bind_port of [1001, 1002, 1003]) await api('POST', '/routes', { ...PLAIN, bind_port })
    await api('PATCH', PATH, { destination_port: 79 })
  })
  after(async () => {
    await rig.close()
    rmSync(folder, { recursive: true })
  })

  async function api(method: string, path: string, body?: unknown): Promise<ChangeRouteAnswer> {
    const reply = await panel.request(method, path, body)
    assert.ok([200, 201].includes(reply.status), `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as ChangeRouteAnswer
  }

  /** The programs that both daemons start meanwhile, each by its arguments. */
  async function started(work: () => Promise<unknown>): Promise<string[]> {
    const pids = [rig.relay.child.pid, rig.panelPid]
    const traces = await Promise.all(pids.map((pid) => ProgramTrace.start(pid ?? 0, join(folder, `${pid}`))))
    await work()
    return (await Promise.all(traces.map((trace) => trace.stop()))).flat().map((program) => program.arguments)
  }

  it('starts no program where it changes, disables or enables a plain rule', async () => {
    const ran = await started(async () => {
      await api('PATCH', PATH, { destination_port: 80 })
      await api('PATCH', PATH, { bind_port: 1011, destination_address: TWO })
      await api('POST', `${PATH}/disable`)
      await api('POST', `${PATH}/enable`)
    })
    assert.deepEqual(ran, [])
    const { rules } = await rig.held()
    assert.deepEqual(
      rules
        .filter(({ route_rule_id }) => route_rule_id === 1)
        .map(({ bind_port, destinations }) => [bind_port, destinations[0]?.address]),
      [[1011, TWO]],
    )
  })

  it('starts no nft to read its rules where another program changes something else', async () => {
    for (const table of ['other', 'another']) {
      const ran = await started(async () => {
        rig.relay.run('nft', ['add', 'table', 'ip', table])
        assert.equal((await rig.held()).rules.length, 3)
      })
      // The first time there is nothing yet to compare the table with.
      if (table === 'another')
        assert.deepEqual(
          ran.filter((one) => one.includes('inet panel')),
          [],
        )
    }
    rig.relay.run('nft', ['flush', 'chain', 'inet', 'panel', 'relayed'])
    assert.notDeepEqual((await rig.held()).damaged, [])
    await api('POST', `${PATH}/reapply`)
  })

  it('starts nft where a rule has a chain of its own', async () => {
    const destinations = [ONE, TWO].map((address) => ({ address, port: 80 }))
    const ran = await started(() => api('PATCH', PATH, { load_balance_mode_id: 20, destinations }))
    assert.ok(ran.length > 0 && ran.every((one) => /^\["[^"]*\/nft"/.test(one)), ran.join('\n'))
  })
})
