// A backup changes what guards the panel only with the operator's password (reference.md, POST /backup/import;
// decisions.md, B3).
import assert from 'node:assert/strict'
import type { ImportAction, ImportBackupAnswer } from '@panel/shared/api/backup.ts'
import { backupOf, importInto } from './support/backup.ts'
import type { Client, Reply } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'

const ORIGINS = 'security.allowed_origins'
const BACKUP = backupOf({
  settings: [
    { key: 'display.theme', value: 'dark' },
    { key: 'security.login_lockout_minutes', value: 15 },
    { key: ORIGINS, value: ['https://evil.example'] },
    { key: 'security.login_rate_limit_per_minute', value: 1000 },
  ],
})
const WITHOUT = { current_password: undefined }
const CHANGING = [ORIGINS, 'security.login_rate_limit_per_minute']

describe('An import of settings that guard the panel', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())

  const items = ({ body }: Reply<ImportBackupAnswer>, action: ImportAction['action']): ImportAction[] =>
    body.actions.filter((one) => one.action === action)
  const refusals = (actions: readonly ImportAction[]): unknown[] =>
    actions.filter(({ error }) => error).map(({ target, error }) => [target, error?.code, error?.field])
  const refused = CHANGING.map((key) => [key, 'INVALID_CREDENTIALS', 'current_password'])

  it('lists each that would change in a dry run, and what it lacks', async () => {
    const reply = await importInto(operator, BACKUP, { dry_run: true, ...WITHOUT })
    assert.deepEqual(
      items(reply, 'would_update').map(({ target }) => target),
      ['display.theme', ...CHANGING],
    )
    assert.deepEqual(refusals(reply.body.actions), refused)
    const confirmed = await importInto(operator, BACKUP, { dry_run: true, current_password: OPERATOR.password })
    assert.deepEqual(refusals(confirmed.body.actions), [])
  })

  it('fails for those without the password, and does the rest', async () => {
    const reply = await importInto(operator, BACKUP, WITHOUT)
    assert.deepEqual(refusals(items(reply, 'failed')), refused)
    assert.match(items(reply, 'failed')[0]?.detail ?? '', /your current password/)
    assert.deepEqual([panel.settings.get('display.theme'), panel.settings.get(ORIGINS)], ['dark', []])
  })

  it('fails for those with a wrong password, which counts as a guess', async () => {
    const guess = (): Promise<Reply<ImportBackupAnswer>> =>
      importInto(operator, BACKUP, { current_password: 'wrong wrong wrong' })
    for (let at = 0; at < 5; at += 1) assert.deepEqual(refusals(items(await guess(), 'failed')), refused)
    assert.deepEqual(
      refusals(items(await guess(), 'failed')).map((one) => (one as string[])[1]),
      ['RATE_LIMITED', 'RATE_LIMITED'],
    )
    assert.deepEqual(panel.settings.get(ORIGINS), [])
  })

  it('changes them with the password, which is kept nowhere', async () => {
    const reply = await importInto(operator, BACKUP, { current_password: OPERATOR.password })
    assert.deepEqual(refusals(reply.body.actions), [])
    assert.deepEqual(panel.settings.get(ORIGINS), ['https://evil.example'])
    const { text } = await operator.get('/audit')
    assert.ok(!text.includes(OPERATOR.password) && !panel.log.join('').includes(OPERATOR.password))
  })

  it('asks for no password where nothing of them would change', async () => {
    const { body } = await importInto(operator, backupOf({ settings: [{ key: ORIGINS, value: [] }] }), WITHOUT)
    assert.equal(body.counts.failed, 0)
  })
})
