// The playbook of the guide, run against the panel (guide.md, From Ansible; reference.md, Desired).
import assert from 'node:assert/strict'
import { parse } from 'yaml'
import type { DesiredAnswer } from '@panel/shared/api/desired.ts'
import type { ErrorEnvelope } from '@panel/shared/api/base/errors.ts'
import type { Client } from './support/client.ts'
import { exportFile, listFiles } from './support/desired.ts'
import type { TestPanel } from './support/panel.ts'
import { readPlaybook, runPlaybook, yamlBlocks, type Ran } from './support/playbook.ts'
import { getRoute, listRoutes } from './support/routes.ts'
import { startWindowPanel } from './support/windows.ts'

interface Site {
  readonly tunnels: readonly Record<string, unknown>[]
  readonly routes: readonly Record<string, unknown>[]
}

describe('The playbook of the guide', () => {
  const play = readPlaybook()
  const [text = assert.fail('no file')] = yamlBlocks('## One file that says it all')
  const site = parse(text) as Site
  const [rule = assert.fail('no rule')] = site.routes
  let panel: TestPanel
  let operator: Client
  let token: string
  beforeEach(async () => {
    ;({ panel, operator } = await startWindowPanel({ web_path: 'hidden' }))
    const { body } = await operator.post<{ text: string }>('/auth/tokens', { title: 'ansible', scopes: ['desired'] })
    token = body.text
  })
  afterEach(() => panel.close())

  const run = (of: object, isCheck = false): Promise<Ran[]> =>
    runPlaybook(play, { panel: panel.base.replace(/\/$/, ''), token, site: of }, isCheck)
  const states = async (of: object, isCheck = false): Promise<string[]> =>
    (await run(of, isCheck)).map(({ state }) => state)
  const moved = { ...site, routes: [{ ...rule, bind_port: 25_566 }] }

  it('says in check mode what it would change, and changes nothing', async () => {
    const before = await exportFile(operator)
    const [compared = assert.fail(), applied] = await run(site, true)
    assert.deepEqual([compared.state, applied?.state], ['changed', 'skipped'])
    const { items } = compared.json as DesiredAnswer
    assert.deepEqual(
      items.map(({ kind, title, what }) => `${kind} ${title} ${what}`),
      ['tunnel gre-fra-1 created', 'route game created'],
    )
    assert.deepEqual(await exportFile(operator), before)
  })

  it('makes what the file names, and a second run changes nothing, in check mode or not', async () => {
    assert.deepEqual(await states(site), ['changed', 'changed'])
    assert.equal((await listRoutes(operator)).body.total, 1)
    const host = panel.kernel.picture()
    assert.deepEqual(await states(site), ['ok', 'ok'])
    assert.deepEqual(await states(site, true), ['ok', 'skipped'])
    assert.deepEqual(panel.kernel.picture(), host)
  })

  it('changes what was changed in the file, and that alone', async () => {
    await run(site)
    const [, applied] = await run(moved)
    const { items } = applied?.json as DesiredAnswer
    assert.deepEqual(
      items.map(({ title, what, changes }) => [title, what, changes.map(({ field }) => field)]),
      [['game', 'updated', ['bind_port']]],
    )
    assert.equal((await getRoute(operator, 1)).body.route.bind_port, 25_566)
    assert.deepEqual(await states(moved), ['ok', 'ok'])
  })

  it('deletes what was deleted from the file, and nothing that the operator made', async () => {
    await run(site)
    const own = { bind_address: '192.0.2.1', bind_port: 80, destinations: [{ address: '172.17.1.2', port: 80 }] }
    assert.equal((await operator.post('/routes', { ...own, route_rule_title: 'own' })).status, 201)
    assert.deepEqual(await states({ ...site, routes: [] }), ['changed', 'changed'])
    assert.deepEqual(
      (await listRoutes(operator)).body.routes.map(({ route }) => route.route_rule_title),
      ['own'],
    )
    assert.deepEqual(await states({ ...site, routes: [] }), ['ok', 'ok'])
  })

  it('fails on a faulty file at the first task, with each problem, and changes nothing', async () => {
    await run(site)
    const [before, host] = [await exportFile(operator), panel.kernel.picture()]
    const twice = [...site.tunnels, ...site.tunnels]
    const faulty = { ...moved, tunnels: twice, routes: [{ ...rule, tunnel: 'gone' }] }
    for (const isCheck of [true, false]) {
      const ran = await run(faulty, isCheck)
      assert.deepEqual(
        ran.map(({ status, state }) => [status, state]),
        [[422, 'failed']],
      )
      const { error } = ran[0]?.json as ErrorEnvelope
      assert.deepEqual((error.details['fields'] as { field: string }[]).map(({ field }) => field).sort(), [
        'document.routes.0.tunnel',
        'document.tunnels.1.interface_name',
      ])
    }
    assert.deepEqual([await exportFile(operator), panel.kernel.picture()], [before, host])
  })

  it('is known by the name of its file, with the token as its author', async () => {
    await run(site)
    const { files } = (await listFiles(operator)).body
    assert.deepEqual(
      files.map(({ name, username, differs }) => [name, username, differs.length]),
      [['site.yaml', 'token:ansible', 0]],
    )
  })
})
