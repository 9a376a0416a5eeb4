// What root does with the configuration and the daemons of an installed host (reference.md, Command line).
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { keepListener } from '@panel/web-daemon/features/listeners/store.ts'
import { installCommand, OWNER, type InstalledCommand } from './support/installed-command.ts'

describe('The installed command', function () {
  let installed: InstalledCommand
  before(function () {
    if (process.getuid?.() !== 0) this.skip()
  })
  beforeEach(
    async () => (installed = await installCommand({ PANEL_WEB_PATH: 'hidden', PANEL_LISTEN_ADDRESS: '127.0.0.1' })),
  )
  afterEach(() => installed.remove())

  const option = (name: string): string | undefined =>
    new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(installed.conf, 'utf8'))?.[1]
  /** The store is the owner's. */
  const keep = async (address: string): Promise<void> => {
    const path = join(installed.state, 'panel.db')
    const db = await openStore(path)
    await keepListener(
      db,
      { listener_id: 1, address, port: 8490, tls: null },
      { address: '127.0.0.1', port: 8480 },
      new Date(),
    )
    await db.destroy()
    execFileSync('chown', ['-R', `${OWNER}:${OWNER}`, installed.state])
  }

  it('shows the address to open, and how to reach one that is of this host alone', () => {
    const { status, stdout } = installed.run('url')
    assert.equal(status, 0)
    assert.match(
      stdout,
      /^http:\/\/127\.0\.0\.1:8480\/hidden\/\nIt is reached from this host alone.*ssh -L 8480:127\.0\.0\.1:8480 /,
    )
  })

  it('shows the address of the listener that the operator has kept', async () => {
    await keep('127.0.0.2')
    assert.match(installed.run('url').stdout, /^http:\/\/127\.0\.0\.2:8490\/hidden\/\n/)
    const owners = execFileSync('find', [installed.state, '!', '-uid', String(OWNER)], { encoding: 'utf8' })
    assert.equal(owners, '')
  })

  it('works as the owner in a node that cannot give root up, as that of Debian', async () => {
    await keep('127.0.0.2')
    installed.env['UV_USE_IO_URING'] = '1'
    for (const [word, printed] of [
      ['check-store', 'The store can be used by this version.\n'],
      ['interfaces', ''],
    ] as const) {
      const { status, stdout, stderr } = installed.run(word)
      assert.deepEqual([status, stdout, stderr], [0, printed, ''], word)
    }
    assert.match(installed.run('url').stdout, /^http:\/\/127\.0\.0\.2:8490\//)
    const owners = execFileSync('find', [installed.state, '!', '-uid', String(OWNER)], { encoding: 'utf8' })
    assert.equal(owners, '')
  })

  it('listens elsewhere: writes the configuration, whose owner and mode stay, and restarts the web daemon', () => {
    chmodSync(installed.conf, 0o640)
    chownSync(installed.conf, 0, OWNER)
    const { status, stdout, stderr } = installed.run('set-listen', '0.0.0.0', '8443', '--without-tls')
    assert.equal(status, 0, stderr)
    assert.match(stdout, /^http:\/\/\S+:8443\/hidden\/\n$/)
    assert.deepEqual([option('PANEL_LISTEN_ADDRESS'), option('PANEL_LISTEN_PORT')], ['0.0.0.0', '8443'])
    const { mode, gid } = statSync(installed.conf)
    assert.deepEqual([mode & 0o777, gid], [0o640, OWNER])
    assert.deepEqual(installed.systemctl(), ['restart tunnel-panel-web'])
  })

  it('does not listen where others can reach it without TLS, and changes nothing', () => {
    const before = readFileSync(installed.conf, 'utf8')
    const { status, stderr } = installed.run('set-listen', '0.0.0.0')
    assert.deepEqual([status, /in the clear.*--without-tls/.test(stderr)], [1, true])
    assert.equal(readFileSync(installed.conf, 'utf8'), before)
    for (const args of [[], ['nonsense'], ['127.0.0.1', '70000'], ['127.0.0.1', '1', '2']])
      assert.equal(installed.run('set-listen', ...args).status, 2, args.join(' '))
    assert.throws(installed.systemctl)
  })

  it('goes on where it listened before if the web daemon does not start', () => {
    const before = readFileSync(installed.conf, 'utf8')
    installed.doing('exit 1')
    const { status, stderr } = installed.run('set-listen', '127.0.0.9')
    assert.deepEqual([status, /listens where it did before/.test(stderr)], [1, true])
    assert.equal(readFileSync(installed.conf, 'utf8'), before)
    assert.deepEqual(installed.systemctl(), ['restart tunnel-panel-web', 'restart tunnel-panel-web'])
  })

  it('forgets a kept listener if it is to listen where it is configured to already', async () => {
    await keep('127.0.0.2')
    const { status, stdout } = installed.run('set-listen', '127.0.0.1')
    assert.equal(status, 0)
    assert.match(stdout, /^http:\/\/127\.0\.0\.1:8480\/hidden\/\n/)
  })

  it('makes a certificate as the owner of the state, and writes it into the configuration', () => {
    const { status, stdout, stderr } = installed.run('make-certificate', 'panel.example')
    assert.equal(status, 0, stderr)
    assert.match(
      stdout,
      /fingerprint, as browsers show it: ([0-9A-F]{2}:){31}[0-9A-F]{2}\nhttps:\/\/127\.0\.0\.1:8480\/hidden\//,
    )
    for (const [name, file] of [
      ['PANEL_TLS_CERT', 'panel.crt'],
      ['PANEL_TLS_KEY', 'panel.key'],
    ] as const) {
      assert.equal(option(name), join(installed.state, file))
      assert.equal(statSync(join(installed.state, file)).uid, OWNER)
    }
    assert.deepEqual(installed.systemctl(), ['restart tunnel-panel-web'])
    const wrong = installed.run('make-certificate')
    assert.deepEqual([wrong.status, /^Say what the panel is reached by[^\n]*\n$/.test(wrong.stderr)], [1, true])
  })

  it('stops the web daemon before it takes everything down', () => {
    // Nothing listens at the socket of the helper, so that it goes no further.
    writeFileSync(
      installed.conf,
      `${readFileSync(installed.conf, 'utf8')}PANEL_HELPER_SOCKET=${installed.folder}/none\n`,
    )
    const { status, stderr } = installed.run('take-down')
    assert.equal(status, 1)
    assert.match(stderr, /^The web daemon is stopped/)
    assert.deepEqual(installed.systemctl(), ['stop tunnel-panel-web'])
  })

  it('tells any other user to be root', () => {
    for (const args of [['url'], ['set-listen', '127.0.0.1'], ['set-aside', 'panel.db'], ['open-setup'], ['status']]) {
      const program = [process.execPath, join(installed.folder, 'tunnel-panel.cjs'), ...args]
      const failed = (): string =>
        execFileSync('setpriv', ['--reuid=12345', '--clear-groups', ...program], {
          env: { PANEL_CONFIG_FILE: installed.conf },
          encoding: 'utf8',
          stdio: 'pipe',
        })
      assert.throws(failed, ({ status, stderr }: { status: number; stderr: string }) => {
        assert.deepEqual([status, stderr.startsWith(`Run it as root: sudo tunnel-panel ${args[0]}`)], [3, true], stderr)
        return true
      })
    }
  })
})
