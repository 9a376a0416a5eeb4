// The settings of encrypted backups take effect at once (decisions.md, section 8).
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunBackupAnswer } from '@panel/shared/api/backup-elsewhere.ts'
import { effectsOf } from './support/effects.ts'
import type { Client } from './support/client.ts'
import { set } from './support/settings.ts'

let directory = ''
const withPassphrase = (client: Client) =>
  client.put('/backup/elsewhere/passphrase', { passphrase: 'correct horse battery' })
const count = (): number => readdirSync(directory).length

beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'backup-effect-'))))
afterEach(() => rmSync(directory, { recursive: true }))

effectsOf(
  'backup',
  {
    'backup.interval': {
      does: 'is how often a backup is made, and "off" makes none',
      test: async (client, panel) => {
        await withPassphrase(client)
        await panel.elsewhere.look()
        assert.equal(count(), 0)
        await set(client, { 'backup.interval': 'weekly' })
        await panel.elsewhere.look()
        assert.equal(count(), 1)
      },
    },
    'backup.to_directory': {
      does: 'has them written to the directory',
      test: async (client) => {
        await withPassphrase(client)
        await set(client, { 'backup.to_directory': false })
        assert.equal((await client.post<RunBackupAnswer>('/backup/elsewhere/run')).body.ok, false)
        assert.equal(count(), 0)
        await set(client, { 'backup.to_directory': true })
        assert.equal((await client.post<RunBackupAnswer>('/backup/elsewhere/run')).body.ok, true)
        assert.equal(count(), 1)
      },
    },
    'backup.kept': {
      does: 'is how many stay in the directory',
      test: async (client, panel) => {
        await withPassphrase(client)
        const run = async (): Promise<void> => {
          panel.clock.advance(1)
          await client.post('/backup/elsewhere/run')
        }
        await run()
        await run()
        assert.equal(count(), 2)
        await set(client, { 'backup.kept': 1 })
        await run()
        assert.equal(count(), 1)
      },
    },
  },
  () => ({ backup_dir: directory }),
)
