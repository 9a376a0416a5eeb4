// npm run dev: both daemons and the page, each reloaded when one of its sources changes.
import assert from 'node:assert/strict'
import { statSync, utimesSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../packaging/build/build.ts'
import { commandLine, NpmScript } from './npm-script.ts'

const PAGE = 'http://127.0.0.1:5173'

describe('npm run dev', function () {
  let npm: NpmScript

  before(async () => {
    npm = new NpmScript('npm run dev')
    await npm.writes(/The page, reloading on change, is at/)
  })
  const touched = new Map<string, Stats>()
  after(() => {
    npm.remove()
    for (const [path, { atime, mtime }] of touched) utimesSync(path, atime, mtime)
  })

  /** Marks a source as changed. The text stays, and the time is put back at the end: that is a change as well. */
  function touch(source: string): void {
    const path = join(ROOT, source)
    touched.set(path, statSync(path))
    utimesSync(path, new Date(), new Date())
  }

  it('serves the page with what reloads it, and passes the requests of the API to the web daemon', async () => {
    const page = await npm.answers(`${PAGE}/`, 200)
    assert.match(page, /\/@vite\/client/)
    assert.match(page, /window\.__PANEL__=\{"base_path":"\/","api_base_path":"\/api\/v1"\}/)
    const health = await npm.answers(`${PAGE}/api/v1/system/health`, 200)
    assert.equal((JSON.parse(health) as { setup_required: boolean }).setup_required, true)
  })

  for (const [daemon, source] of [
    ['web', 'web-daemon/app/main.ts'],
    ['helper', 'root-helper/main.ts'],
  ] as const)
    it(`restarts the ${daemon} daemon when a source of it changes, and leaves the other`, async () => {
      const before = npm.daemons()
      assert.equal(before.length, 2)
      touch(source)
      await npm.writes(new RegExp(`The ${daemon} daemon is restarted`))
      await npm.daemonsBecome((now) => now.length === 2 && now.filter((pid) => before.includes(pid)).length === 1)
    })

  it('says that the web daemon does not answer where it has ended', async () => {
    const web = npm.daemons().find((pid) => commandLine(pid).includes('web.cjs'))
    process.kill(Number(web), 'SIGKILL')
    assert.match(await npm.answers(`${PAGE}/api/v1/system/health`, 502), /The web daemon does not answer/)
  })

  it('ends both daemons at SIGTERM', () => npm.endsAfter(() => npm.process.kill('SIGTERM')))
})
