// The processors that a package is made for: what Debian, Node and the compilers call each.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export const ARCHITECTURES = {
  amd64: { node: 'x64', compiler: 'x86_64-linux-gnu' },
  arm64: { node: 'arm64', compiler: 'aarch64-linux-gnu' },
} as const
export type Architecture = keyof typeof ARCHITECTURES

/** This machine's own processor, for which no cross compiler is needed. */
export const OWN_ARCHITECTURE: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'

/**
 * The path of better-sqlite3's addon for another processor: compiled once for each version, in a copy of its sources.
 */
export async function crossSqlite(modules: string, folder: string, architecture: Architecture): Promise<string> {
  const { node, compiler } = ARCHITECTURES[architecture]
  const sources = join(modules, 'better-sqlite3')
  const { version } = createRequire(import.meta.url)(join(sources, 'package.json')) as { version: string }
  const made = join(folder, `better-sqlite3-${version}`)
  const addon = join(made, 'build/Release/better_sqlite3.node')
  if (existsSync(addon)) return addon
  const partial = `${made}.${process.pid}`
  await mkdir(dirname(made), { recursive: true })
  await cp(sources, partial, { recursive: true, filter: (path) => path !== join(sources, 'build') })
  const flags = `-ffile-prefix-map=${partial}=.`
  execFileSync('npm', ['run', '--silent', 'build-release'], {
    cwd: partial,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      npm_config_arch: node,
      CC: `${compiler}-gcc`,
      CXX: `${compiler}-g++`,
      CFLAGS: flags,
      CXXFLAGS: flags,
    },
  })
  await rm(made, { recursive: true, force: true })
  await rename(partial, made)
  return addon
}
