// What root does where the store or its key is damaged or lost: set-aside and open-setup.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSetupOpened, openedSetupFile } from '@panel/web-daemon/features/auth/opened-setup.ts'
import { installCommand, type InstalledCommand } from './support/installed-command.ts'

describe('The installed command, by which root', function () {
  let installed: InstalledCommand
  let folder: string
  let state: string
  before(function () {
    if (process.getuid?.() !== 0) this.skip()
  })
  beforeEach(async () => {
    installed = await installCommand()
    ;({ folder, state } = installed)
  })
  afterEach(() => installed.remove())

  const run = (...args: string[]): ReturnType<InstalledCommand['run']> => installed.run(...args)
  const systemctl = (): string[] => installed.systemctl()
  const aside = (name: string): string => name.replace(/\d{8}T\d{6}Z/, 'TIME')

  it('sets the store aside together with what SQLite keeps beside it, while the daemon is stopped', () => {
    for (const end of ['', '-wal', '-shm']) writeFileSync(join(state, `panel.db${end}`), end)
    writeFileSync(join(state, 'panel.db.daily-1'), 'a copy')
    const { status, stdout } = run('set-aside', 'panel.db')
    assert.equal(status, 0)
    assert.match(stdout, /the web daemon is restarted.*tunnel-panel open-setup/s)
    assert.deepEqual(readdirSync(state).map(aside).sort(), [
      'panel.db.aside-TIME',
      'panel.db.aside-TIME-shm',
      'panel.db.aside-TIME-wal',
      'panel.db.daily-1',
    ])
    assert.deepEqual(systemctl(), [
      'stop tunnel-panel-web',
      'reset-failed tunnel-panel-web',
      'restart tunnel-panel-web',
    ])
  })

  it('sets aside a WAL without its store, and says where there is nothing', () => {
    writeFileSync(join(state, 'panel.db-wal'), 'a WAL')
    assert.equal(run('set-aside', 'panel.db').status, 0)
    assert.deepEqual(readdirSync(state).map(aside), ['panel.db.aside-TIME-wal'])
    const none = run('set-aside', 'panel.db')
    assert.deepEqual([none.status, none.stderr], [1, `There is no ${join(state, 'panel.db')}.\n`])
  })

  for (const [what, make] of Object.entries({
    'a file': (path: string) => writeFileSync(path, ''),
    'a folder': (path: string) => mkdirSync(path),
    'a link that leads nowhere': (path: string) => symlinkSync('/nowhere', path),
  }))
    it(`sets the signing key aside where it is ${what}`, () => {
      make(join(state, 'session.key'))
      const { status, stdout } = run('set-aside', 'session.key')
      assert.equal(status, 0)
      assert.match(stdout, /Everyone signs in again/)
      assert.deepEqual(readdirSync(state).map(aside), ['session.key.aside-TIME'])
    })

  for (const name of [
    'change-under-way.json',
    'ruleset.json',
    'links.json',
    'answers.json',
    'networks.json',
    'window.json',
    'window-ended.json',
  ])
    it(`sets ${name} of the helper aside`, () => {
      writeFileSync(join(folder, 'helper', name), 'garbage')
      const { status, stdout } = run('set-aside', name)
      assert.equal(status, 0)
      assert.match(stdout, /the helper is restarted/)
      assert.deepEqual(readdirSync(join(folder, 'helper')).map(aside), [`${name}.aside-TIME`])
      assert.equal(systemctl().at(-1), 'restart tunnel-panel-helper')
    })

  it('sets aside no other file', () => {
    for (const name of ['', 'panel.conf', '../panel.conf', 'panel.db-wal', 'panel.db.daily-1'])
      assert.equal(run('set-aside', name).status, 2, name)
  })

  it('opens setup by a file of its own, which follows no link that the panel has put there', () => {
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'as it was')
    symlinkSync(victim, openedSetupFile(state))
    const { status, stdout } = run('open-setup')
    assert.equal(status, 0, stdout)
    assert.match(stdout, /the next visitor creates the account/)
    assert.ok(isSetupOpened(state))
    assert.deepEqual([readFileSync(victim, 'utf8'), statSync(openedSetupFile(state)).uid], ['as it was', 0])
    assert.deepEqual(systemctl(), ['restart tunnel-panel-web'])
  })

  it('learns that there is an account where the daemon has taken the file away', () => {
    installed.doing(`rm -f ${openedSetupFile(state)}`)
    const { status, stderr } = run('open-setup')
    assert.deepEqual([status, /There is an account, so setup stays closed/.test(stderr)], [1, true])
    assert.ok(!existsSync(openedSetupFile(state)))
  })
})
