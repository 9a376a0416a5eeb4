// Compiles the addon's C to .build/native/panel.node, unless that is newer already. Run: node root-helper/native/build.mjs
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const CODE = ['panel.c', 'packet.c'].map((name) => join(here, name))
const SOURCES = [...CODE, join(here, 'channel.h'), join(here, 'build.mjs')]
const OUTPUT = join(here, '../../.build/native/panel.node')
const FLAGS = ['-shared', '-fPIC', '-O2', '-std=gnu11', '-Wall', '-Wextra', '-Werror', '-fvisibility=hidden', '-Wl,-z,relro,-z,now', '-DNAPI_VERSION=8']

/** The folder with node_api.h and uv.h: beside the running node, where npm was told, or where Debian's libnode-dev puts it. */
function headers() {
  const prefix = dirname(dirname(realpathSync(process.execPath)))
  const nodedir = process.env.npm_config_nodedir
  const places = [...(nodedir ? [join(nodedir, 'include/node')] : []), join(prefix, 'include/node'), '/usr/local/include/node', '/usr/include/node']
  const found = places.find((place) => existsSync(join(place, 'node_api.h')) && existsSync(join(place, 'uv.h')))
  if (found) return found
  throw new Error(`no node_api.h and uv.h in ${places.join(', ')}: install Node 20's headers (they come with the tarball of nodejs.org; on Debian: apt install libnode-dev)`)
}

const isCurrent = () => existsSync(OUTPUT) && SOURCES.every((source) => statSync(source).mtimeMs <= statSync(OUTPUT).mtimeMs)

/** Returns the path of the compiled addon. The rename makes two builds at once harmless. */
export function buildNative() {
  if (isCurrent()) return OUTPUT
  mkdirSync(dirname(OUTPUT), { recursive: true })
  const partial = `${OUTPUT}.${process.pid}`
  const compiler = process.env.CC || 'cc'
  const { status, error } = spawnSync(compiler, [...FLAGS, `-I${headers()}`, '-o', partial, ...CODE], { stdio: 'inherit' })
  if (error?.code === 'ENOENT') throw new Error(`${compiler} is not installed: apt install gcc libc6-dev`)
  if (error) throw error
  if (status !== 0) throw new Error(`${compiler} failed with status ${status}`)
  renameSync(partial, OUTPUT)
  return OUTPUT
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) console.log(buildNative())
