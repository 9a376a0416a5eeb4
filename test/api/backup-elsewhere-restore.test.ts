// A server that is lost comes back from its encrypted backup alone, as the guide says: openssl on an empty machine, and
// the command line of the panel that was just set up there.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportBackupAnswer } from '@panel/shared/api/backup.ts'
import { exportOf, withoutIds } from './support/backup.ts'
import { startCommandLine, type CommandLine } from './support/command-line.ts'
import { startPanel } from './support/panel.ts'
import { madeRoute } from './support/routes.ts'
import { set } from './support/settings.ts'
import { createTunnel } from './support/tunnels.ts'

const PASSPHRASE = 'correct horse battery'

describe('A restore from an encrypted backup alone', () => {
  let directory: string
  let empty: CommandLine
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'backup-restore-'))
    empty = await startCommandLine()
  })
  after(async () => {
    await empty.close()
    rmSync(directory, { recursive: true })
  })

  it('makes of an empty panel what the lost one was', async () => {
    const lost = await startPanel({ backup_dir: directory })
    const operator = await lost.setUp()
    await createTunnel(operator, { display_name: 'Hamburg' })
    await createTunnel(operator, { remote_endpoint: '198.51.100.20' })
    await madeRoute(operator, {})
    await set(operator, { 'tunnel.default_ttl': 64 })
    await operator.put('/backup/elsewhere/passphrase', { passphrase: PASSPHRASE })
    await operator.post('/backup/elsewhere/run')
    const meant = withoutIds(await exportOf(operator))
    await lost.close()

    writeFileSync(join(directory, 'passphrase'), PASSPHRASE)
    const [name = ''] = readdirSync(directory).filter((one) => one.endsWith('.backup'))
    const opened = `sed '1,/^$/d' ${name} | openssl enc -pass file:passphrase -d -a -aes-256-cbc -md sha256 -pbkdf2 -iter 600000 | gunzip > backup.json`
    const body = `printf '{"is_atomic":true,"backup":'; cat backup.json; printf '}'`
    const input = execFileSync('sh', ['-ec', `${opened}; ${body}`], { cwd: directory, encoding: 'utf8' })
    const { code, out, output } = await empty.run(['backup', 'import', '--data', '-', '-o', 'json'], {}, input)
    assert.equal(code, 0, output)
    assert.equal((JSON.parse(out) as ImportBackupAnswer).counts.failed, 0, out)
    assert.deepEqual(withoutIds(await exportOf(empty.operator)), meant)
  })
})
