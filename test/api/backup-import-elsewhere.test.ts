// A backup of another host: its rules come with addresses and interfaces that are not here yet. They are taken over, say
// so, stay changeable, and say so no longer once these are there (reference.md, Backup; decisions.md, S21).
import assert from 'node:assert/strict'
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import { fakeInterface } from '../support/fake-interfaces.ts'
import { became, exportOf, importInto } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { getRoute, madeRoute, patchRoute } from './support/routes.ts'

const ADDRESS = '203.0.113.99'
const THERE: readonly HostInterface[] = [fakeInterface('ens5', 7, 'physical', [`${ADDRESS}/24`])]

describe('A rule from the backup of another host', () => {
  let panel: TestPanel
  let client: Client
  const backupWith = async (body: object): Promise<BackupDocument> => {
    const other = await startPanel()
    other.kernel.hostInterfaces.push(...THERE)
    const operator = await other.setUp()
    await madeRoute(operator, { route_rule_title: 'Web', ...body })
    const backup = await exportOf(operator)
    await other.close()
    return backup
  }
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const look = async (): Promise<void> => {
    panel.routeWatch.hint('all')
    await panel.routeWatch.pass('event')
  }
  const codes = async (): Promise<string[]> => {
    await look()
    return (await getRoute(client, 1)).body.health.causes.map(({ code }) => code)
  }

  for (const [what, body, more] of [
    ['that listens on an address of that one', { bind_address: ADDRESS }, {}],
    ['that is bound to an interface of that one, with force,', { bind_interface: 'ens5' }, { force: true }],
    ['that listens on both, with force,', { bind_address: ADDRESS, bind_interface: 'ens5' }, { force: true }],
  ] as const)
    it(`${what} is taken over, says that it is absent, and can be changed until it is there`, async () => {
      const imported = await importInto(client, await backupWith(body), more)
      assert.deepEqual(became(imported, 'route'), { Web: 'create' })
      assert.deepEqual(await codes(), ['LISTENER_ABSENT'])
      const patched = await patchRoute(client, 1, { destinations: [{ address: '10.9.0.8', port: 81 }] })
      assert.equal(patched.status, 200, patched.text)
      assert.deepEqual(await codes(), ['LISTENER_ABSENT'])
      panel.kernel.hostInterfaces.push(...THERE)
      assert.deepEqual(await codes(), [])
    })

  for (const [what, body, code] of [
    ['an interface', { bind_interface: 'ens5' }, 'INTERFACE_NOT_FOUND'],
    ['a source', { nat_mode_id: 20, snat_address: ADDRESS }, 'SNAT_ADDRESS_NOT_ON_HOST'],
  ] as const)
    it(`with ${what} of that one is listed with the reason, and the same import again takes it over later`, async () => {
      const backup = await backupWith(body)
      const imported = await importInto(client, backup)
      assert.deepEqual(became(imported, 'route'), { Web: 'failed' })
      assert.ok(imported.text.includes(`"code":"${code}"`))
      panel.kernel.hostInterfaces.push(...THERE)
      assert.deepEqual(became(await importInto(client, backup), 'route'), { Web: 'create' })
      assert.deepEqual(await codes(), [])
    })
})
