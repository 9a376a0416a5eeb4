// When npm start takes the helper for ready: once a process listens at its socket, not once there is a file.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isListening } from '../../../packaging/run/ask-once.ts'

describe('A socket', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'panel-ready-'))
    path = join(folder, 'helper.sock')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is listened at once a server listens', async () => {
    assert.equal(await isListening(path), false)
    const server = createServer().listen(path)
    await once(server, 'listening')
    assert.equal(await isListening(path), true)
    server.close()
  })

  it('that a killed process has left is not listened at', async () => {
    const child = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`,
    ])
    await once(child, 'exit')
    assert.ok(existsSync(path))
    assert.equal(await isListening(path), false)
  })
})
