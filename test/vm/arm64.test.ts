// The package for arm64, made on this machine: its daemons on a Debian 13 kernel for arm64, under emulation.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUNDLE } from '../../packaging/build/build.ts'
import { makePackage } from '../../packaging/package/package.ts'
import { archive, arm64Machine, run } from './arm64/machine.ts'

const CLIENT = fileURLToPath(new URL('arm64/client.cjs', import.meta.url))
/** The place of the machine in the ELF header, and its value there (elf.h, EM_AARCH64). */
const [ELF_MACHINE, AARCH64] = [18, 183]

interface Found {
  readonly arch: string
  readonly health: string
  readonly setup: number
  readonly tunnel: number
  readonly rule: number
  readonly tunnels: readonly string[]
  readonly rules: readonly string[]
  readonly link: string
  readonly table: string
}

describe('The package for arm64', function () {
  let folder: string
  let path: string
  let installed: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'panel-arm64-'))
    path = await makePackage(BUNDLE, join(folder, 'made'), 'arm64')
    installed = join(folder, 'installed')
    execFileSync('dpkg-deb', ['--extract', path, installed])
  })
  after(() => rm(folder, { recursive: true }))

  it('is named so, needs the libraries of Debian 13, and satisfies lintian', () => {
    const fields = execFileSync('dpkg-deb', ['--field', path, 'Architecture', 'Depends'], { encoding: 'utf8' })
    assert.match(fields, /^Architecture: arm64$/m)
    assert.match(fields, /libc6 \(>= 2\.\d+\), libgcc-s1 \(>= [\d.]+\), libstdc\+\+6/)
    const lint = spawnSync('lintian', ['--no-cfg', '--allow-root', '--fail-on', 'error,warning', path], {
      encoding: 'utf8',
    })
    assert.equal(lint.status, 0, lint.stdout + lint.stderr)
  })

  it('holds nothing of another processor', () => {
    const program = join(installed, 'usr/lib/tunnel-panel')
    const addons = readdirSync(program).filter((name) => name.endsWith('.node'))
    assert.deepEqual(addons.sort(), ['bcrypt.node', 'better_sqlite3.node', 'panel.node', 'service.node'])
    for (const name of addons) assert.equal(readFileSync(join(program, name)).readUInt16LE(ELF_MACHINE), AARCH64, name)
    for (const name of ['web', 'helper']) {
      const unit = readFileSync(join(installed, `usr/lib/systemd/system/tunnel-panel-${name}.service`), 'utf8')
      assert.match(unit, /^ExecPaths=.* \/usr\/lib\/aarch64-linux-gnu$/m)
      assert.doesNotMatch(unit, /x86_64|@[A-Z]/)
    }
  })

  it('starts both daemons, which make an account, a GRE tunnel and a relay rule, and read them back from the kernel', async () => {
    const machine = await arm64Machine()
    copyFileSync(CLIENT, join(installed, 'client.cjs'))
    await archive(installed, join(folder, 'panel.cpio'))
    const files = join(folder, 'files.cpio')
    execFileSync('sh', ['-c', 'cat "$1" "$2" > "$3"', 'sh', machine.files, join(folder, 'panel.cpio'), files])
    const console = await run({ ...machine, files }, 1_200_000)
    const line = /^FOUND (.*)$/m.exec(console)?.[1]
    assert.ok(line !== undefined, console)
    const { link, table, ...found } = JSON.parse(line) as Found
    assert.deepEqual(found, {
      arch: 'arm64',
      health: 'ok',
      setup: 201,
      tunnel: 201,
      rule: 201,
      tunnels: ['gre-a-1 InSync'],
      rules: ['InSync'],
    })
    assert.match(link, /gre-a-1.*\n.*\n.*gre remote 192\.0\.2\.2 local 192\.0\.2\.1/)
    assert.match(table, /table inet panel/)
  })
})
