// The other versions of Node that the panel runs on, and for each a copy of the project with better-sqlite3 compiled for
// it. Every other addon keeps to Node-API, so that it loads in all of them unchanged.
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const FOLDER = resolve('.build/nodes')
const SQLITE = resolve('node_modules/better-sqlite3')
const OBJECT_WRAP = resolve('packaging/build/object-wrap.h')

export const VERSIONS = ['22.23.3', '24.21.0'] as const

/** The folder with bin/node and include/node of a version. */
export const folderOf = (version: string): string => join(FOLDER, 'node_modules', aliasOf(version))
/** The copy of the project. */
export const treeOf = (version: string): string => join(FOLDER, version)

const sqliteOf = (version: string): string => join(FOLDER, `sqlite-${version}.node`)
const aliasOf = (version: string): string => `node-${version}`

/** Installs every version and compiles the store's addon for each, unless that was done before; copies the project. */
export async function prepareNodes(): Promise<void> {
  if (!VERSIONS.every((version) => existsSync(join(folderOf(version), 'bin/node')))) await install()
  if (!existsSync(archive())) await run('npm', ['run', '--silent', 'build-release'], { cwd: SQLITE })
  await Promise.all(VERSIONS.filter((version) => !existsSync(sqliteOf(version))).map(compile))
  for (const version of VERSIONS) await copyProject(version)
}

async function install(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const packages = VERSIONS.map((version) => [aliasOf(version), `npm:node-linux-${process.arch}@${version}`])
  writeFileSync(
    join(FOLDER, 'package.json'),
    JSON.stringify({ private: true, dependencies: Object.fromEntries(packages) as Record<string, string> }),
  )
  await run('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: FOLDER })
}

/** SQLite itself, which knows nothing of Node: compiled with the packages, and by far the most of the addon. */
const archive = (): string => join(SQLITE, 'build/Release/sqlite3.a')

async function compile(version: string): Promise<void> {
  const [object, partial] = [join(FOLDER, `sqlite-${version}.o`), join(FOLDER, `sqlite-${version}.partial`)]
  await run('g++', [
    ...['-c', '-fPIC', '-pthread', '-O1', '-std=c++20', '-fno-rtti', '-fno-exceptions', '-w'],
    ...['-DNDEBUG', '-DBUILDING_NODE_EXTENSION', '-DUSING_UV_SHARED=1', '-DUSING_V8_SHARED=1'],
    ...[`-I${join(folderOf(version), 'include/node')}`, `-I${join(SQLITE, 'deps/sqlite3')}`],
    ...['-include', OBJECT_WRAP, '-o', object, join(SQLITE, 'src/better_sqlite3.cpp')],
  ])
  const link = ['-shared', '-pthread', '-Wl,-Bsymbolic', '-Wl,--exclude-libs,ALL']
  await run('g++', [...link, '-o', partial, object, archive()])
  renameSync(partial, sqliteOf(version))
}

/** What npm installed and what was built are linked, except for the addon. */
async function copyProject(version: string): Promise<void> {
  const tree = treeOf(version)
  rmSync(tree, { recursive: true, force: true })
  mkdirSync(join(tree, '.build'), { recursive: true })
  const sources = readdirSync('.').filter((name) => !['.build', '.git', 'node_modules'].includes(name))
  for (const name of sources)
    cpSync(name, join(tree, name), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  await run('cp', ['-al', 'node_modules', tree])
  await run('cp', ['-al', '.build/native', '.build/bundle', join(tree, '.build')])
  for (const folder of ['node_modules/better-sqlite3/build/Release', '.build/bundle']) {
    const addon = join(tree, folder, 'better_sqlite3.node')
    rmSync(addon)
    copyFileSync(sqliteOf(version), addon)
  }
}
