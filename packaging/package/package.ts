// npm run package: stages what `npm run build` made beside the Debian files, and lets Debian's own tools make the
// package of it, and an apt repository of the packages.
import { execFileSync } from 'node:child_process'
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ARCHITECTURES, OWN_ARCHITECTURE, type Architecture } from '../build/architecture.ts'
import { addons, BUNDLE, ROOT } from '../build/build.ts'
import { DAEMON_ENVIRONMENT, HELPER_FLAGS, WEB_FLAGS } from '../run/node-flags.ts'
import { checkVersion } from './version.ts'
import { licences } from './licences.ts'
import { makeRepository } from './repository.ts'

const PACKAGES = join(ROOT, '.build/package')
const DEBIAN = join(ROOT, 'packaging/debian')

/**
 * The units name node's options and environment, of which there is one list (node-flags.ts), and the folder of Debian's
 * libraries and of the dynamic loader, which is named after the processor.
 */
const wordsOfUnits = (architecture: Architecture): Record<string, readonly string[]> => ({
  '@HELPER_FLAGS@': HELPER_FLAGS,
  '@WEB_FLAGS@': WEB_FLAGS,
  '@ENVIRONMENT@': Object.entries(DAEMON_ENVIRONMENT).map(([name, value]) => `${name}=${value}`),
  '@LIBRARIES@': [`/usr/lib/${ARCHITECTURES[architecture].compiler}`],
})

async function stageDebian(bundle: string, stage: string, architecture: Architecture): Promise<void> {
  await cp(DEBIAN, join(stage, 'debian'), { recursive: true })
  for (const name of (await readdir(DEBIAN)).filter((file) => file.endsWith('.service'))) {
    const path = join(stage, 'debian', name)
    const text = await readFile(path, 'utf8')
    await writeFile(
      path,
      Object.entries(wordsOfUnits(architecture)).reduce(
        (so_far, [mark, words]) => so_far.replaceAll(mark, words.join(' ')),
        text,
      ),
    )
  }
  const copyright = join(stage, 'debian/copyright')
  await writeFile(copyright, (await readFile(copyright, 'utf8')) + (await licences(bundle)))
}

/** What bash completes, by the endpoints of this version. */
async function stageCompletion(bundle: string, stage: string): Promise<void> {
  await mkdir(join(stage, 'completions'))
  const completion = execFileSync(process.execPath, [join(bundle, 'tunnel-panel.cjs'), 'completion', 'bash'])
  await writeFile(join(stage, 'completions/tunnel-panel'), completion)
}

/** Examples for operators who watch the host with Prometheus; the tests of the alerts stay here. */
async function stageExamples(stage: string): Promise<void> {
  await mkdir(join(stage, 'prometheus'))
  for (const name of ['alerts.yml', 'grafana-dashboard.json'])
    await copyFile(join(ROOT, 'packaging/prometheus', name), join(stage, 'prometheus', name))
}

/** Without what esbuild tells of a bundle, which only this build reads. Only the addons are of one processor. */
async function stageProgram(bundle: string, stage: string, architecture: Architecture): Promise<void> {
  const program = join(stage, 'program')
  await cp(bundle, program, { recursive: true, filter: (path) => !path.endsWith('.meta.json') })
  if (architecture !== OWN_ARCHITECTURE) await addons(program, architecture)
  await copyFile(join(ROOT, 'packaging/debian/tunnel-panel.sh'), join(program, 'tunnel-panel'))
  await chmod(join(program, 'tunnel-panel'), 0o755)
}

/** The path of the package. What dpkg-buildpackage wants installed is there already: it built the bundle. */
export async function makePackage(
  bundle = BUNDLE,
  folder = PACKAGES,
  architecture: Architecture = 'amd64',
): Promise<string> {
  const version = await checkVersion()
  const stage = join(folder, 'stage')
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { recursive: true })
  await Promise.all([
    stageDebian(bundle, stage, architecture),
    stageProgram(bundle, stage, architecture),
    stageExamples(stage),
    stageCompletion(bundle, stage),
  ])
  execFileSync(
    'dpkg-buildpackage',
    ['--build=binary', '--no-sign', '--no-check-builddeps', `--host-arch=${architecture}`],
    { cwd: stage, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  return join(folder, `tunnel-panel_${version}_${architecture}.deb`)
}

const isArchitecture = (name: string): name is Architecture => name in ARCHITECTURES

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2)
  const unknown = named.filter((name) => !isArchitecture(name))
  if (unknown.length > 0)
    throw new Error(
      `There is no package for ${unknown.join(', ')}, but for ${Object.keys(ARCHITECTURES).join(' and ')}`,
    )
  await rm(PACKAGES, { recursive: true, force: true })
  const made: string[] = []
  for (const name of Object.keys(ARCHITECTURES).filter(isArchitecture))
    if (named.length === 0 || named.includes(name)) {
      made.push(await makePackage(BUNDLE, PACKAGES, name))
      console.log(`made ${made.at(-1)}`)
    }
  const key = process.env['PANEL_REPOSITORY_KEY'] ?? ''
  await makeRepository(made, join(PACKAGES, 'repository'), key)
  console.log(`made ${join(PACKAGES, 'repository')}, ${key === '' ? 'unsigned' : `signed with ${key}`}`)
}
