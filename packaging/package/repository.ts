// An apt repository of the packages, for an operator or a mirror to serve: a flat folder, the same to the byte for the
// same packages. It is signed if there is a key, in a way that names the time of signing.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT } from '../build/build.ts'

/** The public key, to be passed on by the operator of the mirror. */
export const KEY_FILE = 'tunnel-panel.asc'

/** `key`: by the words that gpg knows it by; "" leaves the repository unsigned. */
export async function makeRepository(packages: readonly string[], folder: string, key: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const paragraphs = await Promise.all(
    [...packages].sort().map(async (path) => {
      await copyFile(path, join(folder, basename(path)))
      return describePackage(path)
    }),
  )
  const list = Buffer.from(paragraphs.join('\n'))
  const lists = { Packages: list, 'Packages.gz': gzipSync(list, { level: 9 }) }
  for (const [name, content] of Object.entries(lists)) await writeFile(join(folder, name), content)
  await writeFile(join(folder, 'Release'), describeRelease(paragraphs, lists))
  if (key !== '') sign(folder, key)
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

/** The fields of the package, and those by which apt finds and checks its file. */
async function describePackage(path: string): Promise<string> {
  const fields = execFileSync('dpkg-deb', ['--field', path], { encoding: 'utf8' }).trimEnd()
  const content = await readFile(path)
  return `${fields}\nFilename: ./${basename(path)}\nSize: ${content.length}\nSHA256: ${sha256(content)}\n`
}

function describeRelease(paragraphs: readonly string[], lists: Readonly<Record<string, Buffer>>): string {
  const architectures = paragraphs.map((one) => /^Architecture: (.*)$/m.exec(one)?.[1] ?? '')
  return [
    'Origin: Tunnel Panel',
    'Label: Tunnel Panel',
    `Architectures: ${[...new Set(architectures)].sort().join(' ')}`,
    `Date: ${sourceDate().toUTCString().replace('GMT', 'UTC')}`,
    'Description: Packages of Tunnel Panel',
    'SHA256:',
    ...Object.entries(lists).map(([name, content]) => ` ${sha256(content)} ${content.length} ${name}`),
    '',
  ].join('\n')
}

/** The date of the sources, as dpkg-buildpackage takes it: by the environment, or else by the changelog. */
function sourceDate(): Date {
  const changelog = ['--file', join(ROOT, 'packaging/debian/changelog'), '--show-field', 'Timestamp']
  const seconds =
    process.env['SOURCE_DATE_EPOCH'] ?? execFileSync('dpkg-parsechangelog', changelog, { encoding: 'utf8' }).trim()
  if (!/^\d+$/.test(seconds)) throw new Error(`SOURCE_DATE_EPOCH is no number of seconds: ${seconds}`)
  return new Date(Number(seconds) * 1000)
}

/** Programs that make mirrors may still ask for Release.gpg. */
function sign(folder: string, key: string): void {
  const gpg = (...words: readonly string[]): void =>
    void execFileSync(
      'gpg',
      ['--batch', '--yes', '--armor', '--local-user', key, '--digest-algo', 'SHA512', ...words],
      {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
  gpg('--output', 'Release.gpg', '--detach-sign', 'Release')
  gpg('--output', 'InRelease', '--clear-sign', 'Release')
  gpg('--output', KEY_FILE, '--export', key)
}
