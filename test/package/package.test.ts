// The Debian package as it is made: to the byte the same each time, without a complaint of Debian's own checker, and
// with every licence in it.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUNDLE, buildAll } from '../../packaging/build/build.ts'
import { API_COMMANDS } from '@panel/web-daemon/cli/api/commands.ts'
import { optionsOf } from '@panel/web-daemon/cli/api/fields.ts'
import { makePackage } from '../../packaging/package/package.ts'

describe('The package', function () {
  let folder: string
  let path: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'panel-package-'))
    path = await makePackage(BUNDLE, join(folder, 'made'))
  })
  after(() => rm(folder, { recursive: true }))

  it('is the same to the byte when it is built again, elsewhere', async () => {
    await buildAll(join(folder, 'two'))
    const again = await makePackage(join(folder, 'two'), join(folder, 'made-again'))
    const [one, two] = [path, again].map((file) => createHash('sha256').update(readFileSync(file)).digest('hex'))
    assert.equal(one, two)
  })

  it('gives lintian no error and no warning to tell', () => {
    const { stdout, stderr, status } = spawnSync(
      'lintian',
      ['--no-cfg', '--allow-root', '--fail-on', 'error,warning', path],
      { encoding: 'utf8' },
    )
    assert.equal(status, 0, stdout + stderr)
  })

  it('names the licence of each package that anything of it is made of', () => {
    const copyright = execFileSync(
      'sh',
      ['-c', `dpkg-deb --fsys-tarfile ${path} | tar -xO ./usr/share/doc/tunnel-panel/copyright`],
      { encoding: 'utf8', maxBuffer: 1 << 24 },
    )
    for (const name of [
      'express',
      'kysely',
      'better-sqlite3',
      'bcrypt',
      'ajv',
      'json-rpc-2.0',
      'jsonwebtoken',
      'svelte',
      'uplot',
      'uqr',
      'yaml',
    ])
      assert.match(copyright, new RegExp(`^Files: node_modules/${name}/\\*\n(?:.*\n)*?License: \\S`, 'm'), name)
  })

  it('brings the alerts and the dashboard for Prometheus', () => {
    const list = execFileSync('dpkg-deb', ['--contents', path], { encoding: 'utf8' })
    for (const name of ['alerts.yml', 'grafana-dashboard.json'])
      assert.match(list, new RegExp(`/usr/share/doc/tunnel-panel/examples/${name.replace('.', '\\.')}(\\.gz)?\n`), name)
  })

  it('completes in bash, by itself, whatever the command passes on to the API', () => {
    const completion = execFileSync(
      'sh',
      ['-c', `dpkg-deb --fsys-tarfile ${path} | tar -xO ./usr/share/bash-completion/completions/tunnel-panel`],
      { encoding: 'utf8' },
    )
    assert.match(completion, /complete -F _tunnel_panel tunnel-panel/)
    const nouns = new Set(API_COMMANDS.map(({ noun }) => noun))
    for (const noun of nouns) assert.match(completion, new RegExp(`^ {4}${noun}\\) words=`, 'm'), noun)
  })

  it('has manual pages that man takes without a word', () => {
    for (const name of ['tunnel-panel.1', 'tunnel-panel-helper.8', 'tunnel-panel-web.8']) {
      const { stdout, stderr } = spawnSync(
        'man',
        ['--warnings', '-l', join(import.meta.dirname, '../../packaging/debian', name)],
        { encoding: 'utf8', env: { ...process.env, MANROFFSEQ: '', LC_ALL: 'C.UTF-8', MANWIDTH: '80' } },
      )
      assert.deepEqual([stderr, stdout.includes('NAME')], ['', true], name)
    }
  })

  it('has a manual page on which man shows each command over the API, with its options', () => {
    const page = join(import.meta.dirname, '../../packaging/debian/tunnel-panel.1')
    const { stdout } = spawnSync('man', ['-l', page], {
      encoding: 'utf8',
      maxBuffer: 1 << 24,
      env: { ...process.env, MAN_KEEP_FORMATTING: '', MANPAGER: 'cat', LC_ALL: 'C.UTF-8', MANWIDTH: '5000' },
    })
    assert.match(stdout, /^ +safe-apply /m)
    for (const command of API_COMMANDS) {
      const { noun, verb } = command
      assert.match(stdout, new RegExp(`^ +${noun} ${verb}( id)*( |$)`, 'm'), `${noun} ${verb}`)
      for (const { name } of optionsOf(command)) assert.ok(stdout.includes(`--${name}`), `${noun} ${verb} --${name}`)
    }
  })

  it('has scripts that dash reads without a mistake', () => {
    for (const name of ['postinst', 'prerm', 'postrm', 'config', 'sh'])
      execFileSync('sh', ['-n', join(import.meta.dirname, `../../packaging/debian/tunnel-panel.${name}`)])
  })
})
