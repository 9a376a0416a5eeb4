// The Debian package as it is made: to the byte the same each time, without a complaint of Debian's own checker, and
// with every licence in it.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAll } from '../../packaging/build/build.ts'
import { makePackage } from '../../packaging/package/package.ts'

describe('The package', function () {
  this.timeout(300_000)
  let folder: string
  let path: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'panel-package-'))
    await buildAll(join(folder, 'one'))
    path = await makePackage(join(folder, 'one'), join(folder, 'made'))
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
    ])
      assert.match(copyright, new RegExp(`^Files: node_modules/${name}/\\*\n(?:.*\n)*?License: \\S`, 'm'), name)
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

  it('has scripts that dash reads without a mistake', () => {
    for (const name of ['postinst', 'prerm', 'postrm', 'config', 'sh'])
      execFileSync('sh', ['-n', join(import.meta.dirname, `../../packaging/debian/tunnel-panel.${name}`)])
  })
})
