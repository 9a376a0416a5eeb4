// A mail leaves this host's networks encrypted or not at all (decisions.md, N5). Needs a public address that leads to a
// server of the test, and therefore a network namespace.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeSelfSigned } from '@panel/web-daemon/platform/tls/self-signed.ts'
import { program } from '../support/programs.ts'

const ADDRESS = '9.9.9.9'
const DRIVER = await program(new URL('notices-driver.ts', import.meta.url))

interface Sent {
  readonly message_id: string
  readonly received: readonly string[]
}

describe('A mail over SMTP', function () {
  const folder = mkdtempSync(join(tmpdir(), 'panel-notices-'))
  let sent: Record<'offered' | 'hidden' | 'hidden_and_private_allowed' | 'inside', Sent>

  before(async () => {
    const { cert } = makeSelfSigned(folder, [ADDRESS])
    const command = ['--net', process.execPath, DRIVER, folder, ADDRESS]
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert }
    const { stdout } = await promisify(execFile)('unshare', command, { env })
    sent = JSON.parse(stdout) as typeof sent
  })
  after(() => rmSync(folder, { recursive: true }))

  it('is encrypted where the server offers STARTTLS, and so is the password', () => {
    assert.deepEqual(sent.offered, { message_id: 'notice.delivered', received: ['password', 'encrypted'] })
  })

  it('is not sent to a public server that does not offer STARTTLS, and neither is the password', () => {
    assert.deepEqual(sent.hidden, { message_id: 'notice.no_starttls', received: [] })
  })

  it('is not sent there either where receivers inside the networks of this host are allowed', () => {
    assert.deepEqual(sent.hidden_and_private_allowed, { message_id: 'notice.no_starttls', received: [] })
  })

  it('goes unencrypted to a server inside them, where that is allowed', () => {
    assert.deepEqual(sent.inside, { message_id: 'notice.delivered', received: ['password', 'plain'] })
  })
})
