// The rules of a backup, which root makes by one change (decisions.md, B13), each of them by itself where that fails.
import assert from 'node:assert/strict'
import type { ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { backupOf, exportOf, importInto } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { makeTunnels, NETWORK } from './support/networks.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { listRoutes } from './support/routes.ts'
import { refusePort, rulesetChanges } from './support/rulesets.ts'
import { startWindowPanel } from './support/windows.ts'

const COUNT = 12
const rule = (number: number, more: object = {}): object => ({
  route_rule_title: `rule ${number}`,
  bind_port: 1000 + number,
  destination_address: '10.9.0.2',
  ...more,
})
const rules = (count: number): object[] => Array.from({ length: count }, (_, at) => rule(at + 1))

describe('The rules of an import', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    ;({ panel, operator: client } = await startWindowPanel())
  })
  afterEach(() => panel.close())

  const actionsOf = async (routes: readonly object[]): Promise<string[]> => {
    const { status, text, body } = await importInto(client, backupOf({ routes: [...routes] }))
    assert.equal(status, 200, text)
    return body.actions.map(({ action }) => action)
  }
  const titles = async (): Promise<string[]> =>
    (await listRoutes(client)).body.routes.map(({ route }) => route.route_rule_title)

  it('are made by one change of the host, each with its id and its own audit entry', async () => {
    const { body } = await importInto(client, backupOf({ routes: rules(COUNT) }))
    const ids = Array.from({ length: COUNT }, (_, at) => at + 1)
    assert.deepEqual(
      body.actions.map(({ action, target, target_id }) => [action, target, target_id]),
      ids.map((id) => ['create', `rule ${id}`, id]),
    )
    assert.deepEqual(rulesetChanges(panel), [`ruleset - +${ids.join(',')}`])
    const { entries } = (await client.get<ListAuditAnswer>('/audit?action=RouteCreate&limit=100')).body
    assert.deepEqual(
      entries.map(({ target_id }) => target_id).sort((a, b) => Number(a) - Number(b)),
      ids,
    )
  })

  it('that are more than a hundred leave room for another command after each hundred', async () => {
    await actionsOf(rules(205))
    assert.deepEqual(
      rulesetChanges(panel).map((change) => change.split(',').length),
      [100, 100, 5],
    )
  })

  it('are made without the one that the kernel does not take, which is named', async () => {
    refusePort(panel, 1007)
    const { body } = await importInto(client, backupOf({ routes: rules(COUNT) }))
    const failed = body.actions.filter(({ action }) => action === 'failed')
    assert.deepEqual(
      failed.map(({ target, error }) => [target, error?.code]),
      [['rule 7', 'FORWARDING_APPLY_FAILED']],
    )
    assert.deepEqual([body.counts.create, (await titles()).includes('rule 7')], [COUNT - 1, false])
  })

  it('are made without those that are there already, or stand in the backup twice, in the order of the backup', async () => {
    assert.deepEqual(await actionsOf([rule(2)]), ['create'])
    const wrong = rule(6, { bind_port: 70_000 })
    const twice = [rule(1), rule(2), rule(3), rule(3), rule(4, { bind_port: 1001 }), wrong, rule(7)]
    assert.deepEqual(await actionsOf(twice), ['create', 'skip', 'create', 'skip', 'skip', 'failed', 'create'])
    assert.deepEqual((await titles()).sort(), ['rule 1', 'rule 2', 'rule 3', 'rule 7'])
  })

  it('fail after two attempts while the helper is away, however many they are', async () => {
    let requests = 0
    const request: Writer = async () => {
      requests += 1
      throw helperAway('gone')
    }
    const other = await startPanel({ request })
    const operator = await other.setUp()
    requests = 0
    const { body } = await importInto(operator, backupOf({ routes: rules(250) }))
    assert.deepEqual([body.counts.failed, requests <= 2], [250, true], String(requests))
    await other.close()
  })

  it('and its networks fail so too, though each of those is made by itself', async () => {
    const helper = requestThrough(inProcessHelper(new FakeKernel()).request)
    let [isAway, requests] = [false, 0]
    const request: Writer = async (method, params) => {
      requests += 1
      if (isAway) throw helperAway('gone')
      return helper(method, params)
    }
    const other = await startPanel({ request })
    const operator = await other.setUp()
    await makeTunnels(operator)
    const { tunnels } = await exportOf(operator)
    const networks = Array.from({ length: 50 }, (_, at) => ({ ...NETWORK, destination: `10.50.${at}.0/24` }))
    ;[isAway, requests] = [true, 0]
    const { body } = await importInto(operator, backupOf({ tunnels, networks }))
    assert.deepEqual([body.counts.failed, requests <= 2], [50, true], String(requests))
    await other.close()
  })
})
