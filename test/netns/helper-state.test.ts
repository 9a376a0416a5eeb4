// A real helper that finds its own files damaged: it starts, answers queries, and changes nothing until they are set
// aside.
import assert from 'node:assert/strict'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { exampleRule } from '../support/example-rule.ts'
import { exampleTunnel } from '../support/example.ts'
import { RelayRig } from './relay-rig.ts'

const filesAlone = { ...exampleTunnel(), link: null }
const [ONE, TWO] = [1, 2].map((id) => exampleRule({ route_rule_id: id, bind_port: 1000 + id }))

describe('A helper whose own files are damaged', function () {
  const rig = new RelayRig()
  before(() => rig.open())
  after(() => rig.close())

  const path = (name: string): string => join(rig.folder, 'state', name)
  const trouble = async (): Promise<string> =>
    (await askOnce(rig.socket, 'host.probe', { parts: ['state'] })).state?.trouble ?? ''

  for (const name of ['change-under-way.json', 'ruleset.json']) {
    it(`serves what can be read, refuses changes of rules, and says of ${name} what to do`, async () => {
      await rig.become(ONE!)
      assert.equal(await trouble(), '')
      writeFileSync(path(name), '{"cut":')
      await rig.restartHelper()
      assert.deepEqual((await rig.held()).rules, [ONE])
      const tells = new RegExp(`${name} is damaged .* tunnel-panel set-aside ${name}`)
      await assert.rejects(rig.apply([ONE!], [ONE!, TWO!]), tells)
      assert.match(await trouble(), tells)
      assert.deepEqual([(await rig.held()).rules, readFileSync(path(name), 'utf8')], [[ONE], '{"cut":'])
      renameSync(path(name), path(`${name}.aside`))
      await rig.restartHelper()
      assert.equal(await trouble(), '')
      await rig.become(ONE!, TWO!)
      assert.deepEqual(JSON.parse(readFileSync(path('ruleset.json'), 'utf8')), { rules: [ONE, TWO] })
      await rig.become()
    })
  }

  it('serves relay rules, refuses changes of tunnels, and says of links.json what to do', async () => {
    writeFileSync(path('links.json'), '{"cut":')
    await rig.restartHelper()
    const tells = /links\.json is damaged .* tunnel-panel set-aside links\.json/
    assert.match(await trouble(), tells)
    await assert.rejects(askOnce(rig.socket, 'tunnel.apply', { before: null, after: filesAlone }), tells)
    await rig.become(ONE!)
    renameSync(path('links.json'), path('links.json.aside'))
    await rig.restartHelper()
    assert.equal(await trouble(), '')
    await rig.become()
  })
})

describe('What there is of the panel on a host with a real kernel', function () {
  const rig = new RelayRig()
  before(() => rig.open())
  after(() => rig.close())
  const ours = async () => (await askOnce(rig.socket, 'host.probe', { parts: ['ours'] })).ours

  it('is nothing on a fresh host, also once it protects a table that is not there yet', async () => {
    assert.deepEqual(await ours(), { tunnels: 0, rules: 0, is_any: false })
    await askOnce(rig.socket, 'ruleset.protect', { wanted: true })
    await rig.restartHelper()
    assert.deepEqual(await ours(), { tunnels: 0, rules: 0, is_any: false })
  })

  it('is a relay rule in the kernel, and one that boot alone would bring back', async () => {
    await rig.become(ONE!)
    assert.deepEqual(await ours(), { tunnels: 0, rules: 1, is_any: true })
    renameSync(join(rig.folder, 'state', 'ruleset.json'), join(rig.folder, 'ruleset.json'))
    await rig.restartHelper()
    assert.deepEqual(await ours(), { tunnels: 0, rules: 1, is_any: true })
  })
})
