// What the web daemon gives up, and what it tells systemd: tried in a process of its own, since nothing takes it back.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { watchdogPeriodMs } from '@panel/shared/host/watchdog.ts'

const ADDON = new URL('../../../.build/native/service.node', import.meta.url).pathname

describe('Once it has forbidden programs a process', () => {
  const runService = (code: string): string =>
    execFileSync(
      process.execPath,
      [
        '-e',
        `const service = require(${JSON.stringify(ADDON)}); const { spawnSync } = require('node:child_process'); ${code}`,
      ],
      { encoding: 'utf8' },
    ).trim()

  it('starts none, by whatever path', () => {
    assert.equal(
      runService(
        "const before = spawnSync('true').status; service.forbidPrograms(); console.log(before, ['true', '/bin/sh', process.execPath].map((path) => spawnSync(path).error.code))",
      ),
      "0 [ 'EPERM', 'EPERM', 'EPERM' ]",
    )
  })

  it('starts none in threads that were there before, or come after', () => {
    const thread =
      'new Worker(\'require("node:worker_threads").parentPort.once("message", () => { console.log(require("node:child_process").spawnSync("true").error.code); process.exit() })\', { eval: true })'
    assert.equal(
      runService(
        `const { Worker } = require('node:worker_threads'); const one = ${thread}; one.once('online', () => { service.forbidPrograms(); const other = ${thread}; other.postMessage(1); other.once('exit', () => one.postMessage(1)) })`,
      ),
      'EPERM\nEPERM',
    )
  })

  it('goes on with all else: files, sockets, threads', () => {
    assert.equal(
      runService(
        "service.forbidPrograms(); const server = require('node:net').createServer().listen(0, () => { console.log(require('node:fs').readdirSync('/').length > 0); server.close() })",
      ),
      'true',
    )
  })

  it('tells systemd nothing where there is none', () => {
    assert.equal(runService("delete process.env.NOTIFY_SOCKET; console.log(service.sdNotify('READY=1'))"), 'false')
  })
})

describe('A sign of life', () => {
  it('is given twice as often as systemd asks for', () =>
    assert.equal(watchdogPeriodMs({ WATCHDOG_USEC: '60000000', WATCHDOG_PID: '7' }, 7), 30_000))
  it('is not given where nobody watches, or another process is watched', () => {
    for (const environment of [
      {},
      { WATCHDOG_USEC: '' },
      { WATCHDOG_USEC: '0' },
      { WATCHDOG_USEC: 'soon' },
      { WATCHDOG_USEC: '60000000', WATCHDOG_PID: '8' },
    ])
      assert.equal(watchdogPeriodMs(environment, 7), null)
  })
})
