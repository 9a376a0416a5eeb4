// npm run package: stages what `npm run build` made beside the Debian files, and lets Debian's own tools make the
// package of it.
import { execFileSync } from 'node:child_process'
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUNDLE, ROOT } from '../build/build.ts'
import { HELPER_FLAGS, WEB_FLAGS } from '../run/node-flags.ts'
import { checkVersion } from './version.ts'
import { licences } from './licences.ts'

const PACKAGES = join(ROOT, '.build/package')
const DEBIAN = join(ROOT, 'packaging/debian')

/** The units name node's options, of which there is one list (node-flags.ts). */
const FLAGS: Record<string, readonly string[]> = { '@HELPER_FLAGS@': HELPER_FLAGS, '@WEB_FLAGS@': WEB_FLAGS }

async function stageDebian(bundle: string, stage: string): Promise<void> {
  await cp(DEBIAN, join(stage, 'debian'), { recursive: true })
  for (const name of (await readdir(DEBIAN)).filter((file) => file.endsWith('.service'))) {
    const path = join(stage, 'debian', name)
    const text = await readFile(path, 'utf8')
    await writeFile(
      path,
      Object.entries(FLAGS).reduce((so_far, [mark, flags]) => so_far.replace(mark, flags.join(' ')), text),
    )
  }
  const copyright = join(stage, 'debian/copyright')
  await writeFile(copyright, (await readFile(copyright, 'utf8')) + (await licences(bundle)))
}

/** Without what esbuild tells of a bundle, which only this build reads. */
async function stageProgram(bundle: string, stage: string): Promise<void> {
  const program = join(stage, 'program')
  await cp(bundle, program, { recursive: true, filter: (path) => !path.endsWith('.meta.json') })
  await copyFile(join(ROOT, 'packaging/debian/tunnel-panel.sh'), join(program, 'tunnel-panel'))
  await chmod(join(program, 'tunnel-panel'), 0o755)
}

/** The path of the package. What dpkg-buildpackage wants installed is there already: it built the bundle. */
export async function makePackage(bundle = BUNDLE, folder = PACKAGES): Promise<string> {
  const version = await checkVersion()
  const stage = join(folder, 'stage')
  await rm(folder, { recursive: true, force: true })
  await mkdir(stage, { recursive: true })
  await Promise.all([stageDebian(bundle, stage), stageProgram(bundle, stage)])
  execFileSync('dpkg-buildpackage', ['--build=binary', '--no-sign', '--no-check-builddeps', '--host-arch=amd64'], {
    cwd: stage,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return join(folder, `tunnel-panel_${version}_amd64.deb`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(`made ${await makePackage()}`)
