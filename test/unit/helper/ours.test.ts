// What root says there is of the panel on this host (host.probe): nothing on a fresh one, and anything at all otherwise.
import assert from 'node:assert/strict'
import { message } from '@panel/shared/messages/message.ts'
import { journalIn } from '@panel/root-helper/kernel/files/journal.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { exampleTunnel } from '../../support/example.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { inProcessHelper, type InProcessHelper } from '../../support/in-process-helper.ts'
import { memoryFolder } from '../../support/memory-folder.ts'

describe('What there is of the panel', () => {
  let kernel: FakeKernel
  let helper: InProcessHelper
  beforeEach(() => {
    kernel = new FakeKernel()
    helper = inProcessHelper(kernel, journalIn(memoryFolder()))
  })
  const ours = async () => (await helper.request('host.probe', { parts: ['ours'] })).ours
  const NOTHING = { tunnels: 0, rules: 0, is_any: false }
  const ONE = '1'.repeat(32)

  it('is nothing on a fresh host, whatever links and files others have there', async () => {
    assert.deepEqual(await ours(), NOTHING)
    await kernel.links.create('gre-other', exampleTunnel().link?.config ?? assert.fail())
    for (const { observed } of await kernel.links.listUncounted(null)) await kernel.ownLinks.release(observed.index)
    assert.deepEqual(await ours(), NOTHING)
  })

  it('is a tunnel with its link, and with its files alone', async () => {
    await helper.request('tunnel.apply', { before: null, after: exampleTunnel() })
    assert.deepEqual(await ours(), { tunnels: 1, rules: 0, is_any: true })
    await kernel.links.delete(exampleTunnel().interface_name)
    assert.deepEqual(await ours(), { tunnels: 1, rules: 0, is_any: true })
  })

  it('is a relay rule in force, and one that boot brings back', async () => {
    kernel.rulesets.boot.set(1, exampleRule({ route_rule_id: 1 }))
    assert.deepEqual(await ours(), { tunnels: 0, rules: 1, is_any: true })
    await kernel.rulesets.submit(
      [],
      [exampleRule({ route_rule_id: 1 }), exampleRule({ route_rule_id: 2, bind_port: 2 })],
    )
    assert.deepEqual(await ours(), { tunnels: 0, rules: 2, is_any: true })
  })

  const others: Record<string, () => Promise<unknown>> = {
    'an open window': () => helper.request('window.open', { window_id: ONE, seconds: 60 }),
    'the file of switches': async () => kernel.forwarding.writeFile('# tunnel-panel: {}'),
    'a damaged file of its own': async () => helper.deps.journal.block(message('root.file_empty')),
  }
  for (const [what, make] of Object.entries(others))
    it(`is ${what} too`, async () => {
      await make()
      assert.deepEqual(await ours(), { tunnels: 0, rules: 0, is_any: true })
    })

  it('is refused where the relay rules cannot be read', async () => {
    const { read } = kernel.rulesets
    kernel.rulesets.read = async () => ({ ...(await read.call(kernel.rulesets)), is_readable: false, detail: 'EPERM' })
    await assert.rejects(ours(), { code: 'busy' })
  })
})
