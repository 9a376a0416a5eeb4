// npm run package: stages what `npm run build` made beside the Debian files, and lets Debian's own tools make the package of it.
import { execFileSync } from 'node:child_process'
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUNDLE, ROOT } from '../build/build.ts'
import { HELPER_FLAGS, WEB_FLAGS } from '../run/node-flags.ts'
import { checkVersion } from './version.ts'
import { licences } from './licences.ts'

export const PACKAGES = join(ROOT, '.build/package')
const STAGE = join(PACKAGES, 'stage')
const DEBIAN = join(ROOT, 'packaging/debian')

/** The units name node's options, of which there is one list (node-flags.ts). */
const FLAGS: Record<string, readonly string[]> = { '@HELPER_FLAGS@': HELPER_FLAGS, '@WEB_FLAGS@': WEB_FLAGS }

async function stageDebian(): Promise<void> {
  await cp(DEBIAN, join(STAGE, 'debian'), { recursive: true })
  for (const name of (await readdir(DEBIAN)).filter((file) => file.endsWith('.service'))) {
    const path = join(STAGE, 'debian', name)
    const text = await readFile(path, 'utf8')
    await writeFile(path, Object.entries(FLAGS).reduce((so_far, [mark, flags]) => so_far.replace(mark, flags.join(' ')), text))
  }
  const copyright = join(STAGE, 'debian/copyright')
  await writeFile(copyright, (await readFile(copyright, 'utf8')) + (await licences()))
}

/** Without what esbuild tells of a bundle, which only this build reads. */
async function stageProgram(): Promise<void> {
  const program = join(STAGE, 'program')
  await cp(BUNDLE, program, { recursive: true, filter: (path) => !path.endsWith('.meta.json') })
  await copyFile(join(ROOT, 'packaging/debian/tunnel-panel.sh'), join(program, 'tunnel-panel'))
  await chmod(join(program, 'tunnel-panel'), 0o755)
}

/** The path of the package. What dpkg-buildpackage wants installed is there already: it built the bundle. */
export async function makePackage(): Promise<string> {
  const version = await checkVersion()
  await rm(PACKAGES, { recursive: true, force: true })
  await mkdir(STAGE, { recursive: true })
  await Promise.all([stageDebian(), stageProgram()])
  execFileSync('dpkg-buildpackage', ['--build=binary', '--no-sign', '--no-check-builddeps', '--host-arch=amd64'], { cwd: STAGE, stdio: ['ignore', 'ignore', 'inherit'] })
  return join(PACKAGES, `tunnel-panel_${version}_amd64.deb`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(`made ${await makePackage()}`)
