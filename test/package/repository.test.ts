// The apt repository that npm run package makes, as apt itself takes it: with folders of its own in the place of the
// host's, so that nothing of the host is read or changed.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { BUNDLE } from '../../packaging/build/build.ts'
import { makePackage } from '../../packaging/package/package.ts'
import { KEY_FILE, makeRepository } from '../../packaging/package/repository.ts'
import { listening } from '../api/support/receivers.ts'

describe('The apt repository', function () {
  let folder: string
  let path: string
  let server: Server
  let served: string
  let url: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'panel-repository-'))
    path = await makePackage(BUNDLE, join(folder, 'made'))
    served = join(folder, 'unsigned')
    await makeRepository([path], served, '')
    server = createServer(({ url: asked = '' }, to) => {
      const name = asked.slice(1).replace(/^\.\//, '')
      if (readdirSync(served).includes(name)) to.end(readFileSync(join(served, name)))
      else to.writeHead(404).end()
    })
    url = `http://127.0.0.1:${await listening(server)}/`
  })
  after(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })

  const contentOf = (repository: string): Record<string, string> =>
    Object.fromEntries(readdirSync(repository).map((name) => [name, readFileSync(join(repository, name), 'latin1')]))

  /** What the package needs, as if it were installed. */
  const installed = (): string => {
    const depends = execFileSync('dpkg-deb', ['--field', path, 'Depends'], { encoding: 'utf8' })
    const names = depends.split(',').map((one) => /^[a-z0-9+.-]+/.exec(one.trim())?.[0] ?? '')
    return names
      .map(
        (name) =>
          `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: 9999\nMaintainer: x\nDescription: x\n\n`,
      )
      .join('')
  }

  /** An apt that knows this source alone. Gives what it prints. */
  const apt = (source: string): ((...words: string[]) => Promise<string>) => {
    const root = join(folder, 'apt')
    rmSync(root, { recursive: true, force: true })
    for (const name of [
      'etc/sources.list.d',
      'etc/preferences.d',
      'etc/apt.conf.d',
      'state/lists/partial',
      'cache/archives/partial',
      'here',
    ])
      mkdirSync(join(root, name), { recursive: true })
    writeFileSync(join(root, 'status'), installed())
    writeFileSync(join(root, 'etc/sources.list.d/panel.sources'), source)
    const settings = {
      'Dir::Etc': join(root, 'etc'),
      'Dir::State': join(root, 'state'),
      'Dir::State::status': join(root, 'status'),
      'Dir::Cache': join(root, 'cache'),
      'Dir::Log': root,
      'APT::Architecture': 'amd64',
      'APT::Sandbox::User': '',
      'Acquire::Languages': 'none',
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`)
    writeFileSync(join(root, 'apt.conf'), `${lines.join('')}APT::Architectures { "amd64"; };\n`)
    const env = { PATH: process.env['PATH'], APT_CONFIG: join(root, 'apt.conf'), LC_ALL: 'C.UTF-8' }
    return async (...words) => {
      const { stdout, stderr } = await promisify(execFile)('apt-get', words, { env, cwd: join(root, 'here') })
      return stdout + stderr
    }
  }
  const source = (more: string): string => `Types: deb\nURIs: ${url}\nSuites: ./\n${more}\n`
  const sha256 = (file: string): string => execFileSync('sha256sum', [file], { encoding: 'utf8' }).split(' ')[0] ?? ''

  /** Everything that an installation does but the installation itself. */
  const downloads = async (run: (...words: string[]) => Promise<string>): Promise<void> => {
    assert.doesNotMatch(await run('update'), /^[WE]:/m)
    await run('install', '--download-only', '--yes', 'tunnel-panel')
    const archives = join(folder, 'apt/cache/archives')
    const [name = ''] = readdirSync(archives).filter((one) => one.endsWith('.deb'))
    assert.match(name, /^tunnel-panel_[0-9.]+_amd64\.deb$/)
    assert.equal(sha256(join(archives, name)), sha256(path))
    rmSync(join(archives, name))
    await run('download', 'tunnel-panel')
    const [here = ''] = readdirSync(join(folder, 'apt/here'))
    assert.equal(sha256(join(folder, 'apt/here', here)), sha256(path))
  }

  it('is the same to the byte when it is made again, and of the date of its sources', async () => {
    const again = join(folder, 'again')
    await makeRepository([path], again, '')
    assert.deepEqual(contentOf(again), contentOf(served))
    const { Release = '', Packages = '', ...others } = contentOf(served)
    assert.deepEqual(Object.keys(others).sort(), ['Packages.gz', path.split('/').at(-1)].sort())
    assert.equal(
      gunzipSync(readFileSync(join(served, 'Packages.gz'))).toString(),
      readFileSync(join(served, 'Packages'), 'utf8'),
    )
    const changelog = readFileSync(join(import.meta.dirname, '../../packaging/debian/changelog'), 'utf8')
    const [, date = ''] = /^ -- .*> {2}(.*)$/m.exec(changelog) ?? []
    assert.equal(Date.parse(/^Date: (.*)$/m.exec(Release)?.[1] ?? ''), Date.parse(date))
    assert.match(Packages, /^Package: tunnel-panel\n/)
  })

  it('takes the date that SOURCE_DATE_EPOCH names', async () => {
    process.env['SOURCE_DATE_EPOCH'] = '1700000000'
    try {
      await makeRepository([path], join(folder, 'dated'), '')
    } finally {
      delete process.env['SOURCE_DATE_EPOCH']
    }
    assert.match(contentOf(join(folder, 'dated'))['Release'] ?? '', /^Date: Tue, 14 Nov 2023 22:13:20 UTC$/m)
  })

  it('is taken by apt, which downloads the package from it, where the source is trusted without a signature', async () => {
    await downloads(apt(source('Trusted: yes')))
  })

  it('is refused by apt without a signature otherwise', async () => {
    await assert.rejects(apt(source(''))('update'), /is not signed/)
  })

  describe('that is signed', () => {
    let home: string
    before(async () => {
      home = join(folder, 'gpg')
      mkdirSync(home, { mode: 0o700 })
      process.env['GNUPGHOME'] = home
      const make = [
        '--batch',
        '--passphrase',
        '',
        '--quick-generate-key',
        'Mirror <mirror@example.invalid>',
        'ed25519',
        'sign',
        '0',
      ]
      execFileSync('gpg', make, { stdio: 'pipe' })
      served = join(folder, 'signed')
      await makeRepository([path], served, 'mirror@example.invalid')
    })
    after(() => {
      execFileSync('gpgconf', ['--kill', 'all'])
      delete process.env['GNUPGHOME']
      served = join(folder, 'unsigned')
    })

    const signedBy = (): string => source(`Signed-By: ${join(folder, 'signed', KEY_FILE)}`)

    it('has the same lists, and a signature in both forms', () => {
      const { InRelease = '', 'Release.gpg': detached = '', [KEY_FILE]: key = '', ...others } = contentOf(served)
      assert.deepEqual(others, contentOf(join(folder, 'unsigned')))
      assert.match(InRelease, /^-----BEGIN PGP SIGNED MESSAGE-----/)
      assert.match(detached, /^-----BEGIN PGP SIGNATURE-----/)
      assert.match(key, /^-----BEGIN PGP PUBLIC KEY BLOCK-----/)
    })

    it('is taken by apt with that key alone', () => downloads(apt(signedBy())))

    it('is taken by Release.gpg where there is no InRelease', async () => {
      served = join(folder, 'detached')
      cpSync(join(folder, 'signed'), served, { recursive: true })
      rmSync(join(served, 'InRelease'))
      await downloads(apt(signedBy()))
      served = join(folder, 'signed')
    })

    it('is refused once anything of it was changed', async () => {
      served = join(folder, 'changed')
      cpSync(join(folder, 'signed'), served, { recursive: true })
      const changed = readFileSync(join(served, 'InRelease'), 'utf8').replace('Label: Tunnel Panel', 'Label: Another')
      writeFileSync(join(served, 'InRelease'), changed)
      await assert.rejects(apt(signedBy())('update'), /BADSIG|signature|not signed/i)
      served = join(folder, 'signed')
    })

    it('is not made with a key that gpg does not have', () =>
      assert.rejects(makeRepository([path], join(folder, 'no-key'), 'nobody@example.invalid'), /gpg/))
  })
})
