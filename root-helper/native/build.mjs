// Compiles the C of both daemons' addons to .build/native/, unless what is there is newer already. Run: node root-helper/native/build.mjs
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const WEB = join(here, '../../web-daemon/platform/native')
const COMMON = ['arguments.c', 'notify.c']
const inFolder = (folder, names) => names.map((name) => join(folder, name))

/** What each addon is made of. The web daemon's is small, so that the process on the open internet holds nothing of netlink. */
const ADDONS = {
  panel: [...inFolder(here, ['panel.c', 'packet.c', 'store.c']), ...inFolder(here, COMMON)],
  service: [...inFolder(WEB, ['service.c', 'apart.c']), ...inFolder(here, COMMON)],
}
const HEADERS = [...inFolder(here, ['addon.h', 'channel.h', 'build.mjs']), ...inFolder(WEB, ['apart.h'])]
const OUTPUT = join(here, '../../.build/native')
const FLAGS = [
  '-shared',
  `-I${here}`,
  '-fPIC',
  '-O2',
  '-std=gnu11',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-fvisibility=hidden',
  '-Wl,-z,relro,-z,now',
  '-Wl,--build-id=none',
  `-ffile-prefix-map=${join(here, '../..')}=.`,
  '-DNAPI_VERSION=8',
]

/**
 * The folder with node_api.h and uv.h: beside the running node, in npm's nodedir, or where Debian's libnode-dev puts
 * it.
 */
function headers() {
  const prefix = dirname(dirname(realpathSync(process.execPath)))
  const nodedir = process.env.npm_config_nodedir
  const places = [
    ...(nodedir ? [join(nodedir, 'include/node')] : []),
    join(prefix, 'include/node'),
    '/usr/local/include/node',
    '/usr/include/node',
  ]
  const found = places.find((place) => existsSync(join(place, 'node_api.h')) && existsSync(join(place, 'uv.h')))
  if (found) return found
  throw new Error(
    `no node_api.h and uv.h in ${places.join(', ')}: install Node's headers (they come with the tarball of nodejs.org; on Debian: apt install libnode-dev)`,
  )
}

const isCurrent = (output, code) =>
  existsSync(output) && [...code, ...HEADERS].every((source) => statSync(source).mtimeMs <= statSync(output).mtimeMs)

/** The path of the compiled addon. */
export const buildNative = (name, cross = '') => compileAddon(join(OUTPUT, cross, `${name}.node`), ADDONS[name], cross)

/** Compiles sources to an addon, the path of which it returns. The rename makes two builds at once harmless. */
export function compileAddon(output, sources, cross = '') {
  if (isCurrent(output, sources)) return output
  mkdirSync(dirname(output), { recursive: true })
  const partial = `${output}.${process.pid}`
  const compiler = cross ? `${cross}-gcc` : process.env.CC || 'cc'
  const { status, error } = spawnSync(compiler, [...FLAGS, `-I${headers()}`, '-o', partial, ...sources], {
    stdio: 'inherit',
  })
  if (error?.code === 'ENOENT') throw new Error(`${compiler} is not installed: apt install gcc libc6-dev`)
  if (error) throw error
  if (status !== 0) throw new Error(`${compiler} failed with status ${status}`)
  renameSync(partial, output)
  return output
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href)
  for (const name of Object.keys(ADDONS)) console.log(buildNative(name))
