// npm start under a supervisor: whatever ends what the supervisor started, no daemon is left.
import assert from 'node:assert/strict'
import { NpmScript } from './npm-script.ts'

describe('npm start', function () {
  let npm: NpmScript

  beforeEach(async () => {
    npm = new NpmScript('npm start')
    await npm.writes(/The panel is at/)
    assert.equal(npm.daemons().length, 2)
  })
  afterEach(() => npm.remove())

  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)
    it(`ends both daemons when the process that the supervisor started gets ${signal}`, () =>
      npm.endsAfter(() => npm.process.kill(signal)))

  it('ends both daemons at Ctrl-C, which goes to all processes of the terminal', () =>
    npm.endsAfter(() => process.kill(-(npm.process.pid ?? 0), 'SIGINT')))
})
