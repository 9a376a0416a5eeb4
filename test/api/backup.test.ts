// Backups: what an export holds and what it never does, and what a dry run tells (reference.md, Backup document;
// decisions.md, B1 to B4, T6, T21).
import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { METHODS } from '@panel/shared/rpc/methods.ts'
import { SETTING_KEYS } from '@panel/web-daemon/features/settings/definitions.ts'
import { backupOf, became, exportOf, furnish, importInto } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { requestThrough, OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { SMALLEST } from './support/tunnels.ts'

describe('An export', () => {
  const key = randomBytes(32)
  let panel: TestPanel
  let operator: Client
  before(async () => {
    panel = await startPanel({ signing_key: createSecretKey(key) })
    operator = await panel.setUp()
    await furnish(operator)
  })
  after(() => panel.close())

  it('is version 1, with tunnels, pools, settings and relay rules, when and where it was made, and a note', async () => {
    const backup = await exportOf(operator)
    assert.equal(backup.version, 1)
    assert.match(backup.exported_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(backup.panel.version !== '' && backup.panel.hostname !== '' && backup.note !== '')
    assert.deepEqual([backup.tunnels.length, backup.pools.length, backup.routes?.length], [4, 5, 2])
    assert.deepEqual(
      backup.settings.map((one) => one.key),
      SETTING_KEYS,
    )
    assert.ok(backup.settings.some((one) => one.key === 'display.theme' && one.value === 'dark'))
  })

  it('leaves out the relay rules on request, and says so', async () => {
    const { routes, note } = await exportOf(operator, '?include_routes=false')
    assert.equal(routes, undefined)
    assert.match(note, /Relay rules were left out/)
  })

  it('has no account, no password and no hash of one, no token or token version, and no signing key', async () => {
    // A name that no value of a setting has.
    await panel.db.updateTable('user_account').set({ username: 'gatekeeper' }).execute()
    const { text } = await operator.get('/backup/export')
    const account = await panel.db.selectFrom('user_account').selectAll().executeTakeFirstOrThrow()
    const forms = (bytes: Buffer): string[] => [
      bytes.toString('hex'),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('latin1'),
    ]
    const secrets = [
      account.username,
      OPERATOR.password,
      account.password_hash,
      ...operator.cookies.values(),
      ...forms(key),
      'password_hash',
      'token_version',
      'user_id',
      'panel_access',
    ]
    for (const secret of secrets) assert.ok(!text.includes(secret), secret)
  })

  it('needs a session', async () => {
    assert.equal((await panel.visitor().get('/backup/export')).status, 401)
  })
})

describe('A dry run', () => {
  it('changes nothing in the store or the host, has the helper only read, and says what would be done', async () => {
    const source = await startPanel()
    const first = await source.setUp()
    await furnish(first)
    const backup = await exportOf(first)
    await source.close()
    const kernel = new FakeKernel()
    const helper = inProcessHelper(kernel)
    const panel = await startPanel({ request: requestThrough(helper.request), stream: helper.stream })
    const operator = await panel.setUp()
    const stored = async (): Promise<string> => {
      const tables = (await panel.db.introspection.getTables())
        .map(({ name }) => name)
        .filter((name) => name !== 'audit_log')
      const rows = await Promise.all(
        tables.map((name) =>
          panel.db
            .selectFrom(name as 'setting')
            .selectAll()
            .execute(),
        ),
      )
      return JSON.stringify([tables, rows])
    }
    const [before, held, requests] = [await stored(), kernel.picture(), helper.requested.length]
    const { status, body } = await importInto(operator, backup, { dry_run: true })
    assert.deepEqual([status, body.dry_run], [200, true])
    assert.equal(await stored(), before)
    assert.deepEqual([kernel.picture(), kernel.changes], [held, []])
    const since = helper.requested.slice(requests)
    assert.ok(since.length > 4)
    for (const method of since) assert.equal(METHODS[method as keyof typeof METHODS].effect, 'read', method)
    assert.deepEqual(
      new Set(body.actions.map(({ action }) => action)),
      new Set(['would_create', 'would_update', 'skip']),
    )
    assert.deepEqual(
      body.actions.filter(({ error }) => error),
      [],
    )
    assert.equal(body.actions.filter(({ kind, action }) => kind === 'tunnel' && action === 'would_create').length, 4)
    assert.deepEqual(became({ body } as never, 'pool'), {
      '10.10.0.0/16': 'would_update',
      '10.77.0.0/16': 'would_create',
    })
    await panel.close()
  })

  it('tells beforehand what would be refused, and where', async () => {
    const panel = await startPanel()
    const operator = await panel.setUp()
    const backup = backupOf({
      tunnels: [
        { ...SMALLEST, interface_name: 'a' },
        { ...SMALLEST, interface_name: 'b', bind_device: 'eth9' },
      ],
      routes: [{ bind_port: Number(new URL(panel.base).port), destination_address: '10.9.0.2' }],
    })
    const { body } = await importInto(operator, backup, { dry_run: true })
    assert.deepEqual(
      body.actions.map(({ action, error }) => [action, error?.code ?? '', error?.field ?? '']),
      [
        ['would_create', '', ''],
        ['would_create', 'VALIDATION_FAILED', 'backup.tunnels[1].bind_device'],
        ['would_create', 'PROTECTED_PORT', 'backup.routes[0].bind_port'],
      ],
    )
    await panel.close()
  })
})
