// A host whose files are those that a Debian 13 machine showed, with the traffic and the troubles that a test wishes.
import { readFileSync } from 'node:fs'
import type { Host, Space } from '@panel/web-daemon/features/metrics/host.ts'

export const captured = (name: string): string =>
  readFileSync(new URL(`captured-host/${name}`, import.meta.url), 'utf8')

interface CapturedLink extends Record<'type' | 'flags' | 'mtu' | 'operstate' | 'uevent', string> {
  readonly has: readonly string[]
}

export const capturedLinks = JSON.parse(captured('links.json')) as Record<string, CapturedLink>

const HEADING = captured('net-dev').split('\n').slice(0, 2).join('\n')

export class FakeHost implements Host {
  readonly files = new Map<string, string>()
  readonly disks = new Map<string, () => Promise<Space>>()
  reads = 0
  #counters: Record<string, readonly [rx: number, tx: number]> = {}

  constructor() {
    const proc = {
      stat: 'stat',
      meminfo: 'meminfo',
      loadavg: 'loadavg',
      'net/dev': 'net-dev',
      'self/mountinfo': 'mountinfo',
    }
    for (const [path, name] of Object.entries(proc)) this.files.set(`/proc/${path}`, captured(name))
    this.boot('the first boot')
    for (const [name, link] of Object.entries(capturedLinks)) this.addLink(name, link)
    this.disks.set('/', async () => ({ bsize: 4096, blocks: 1000, bfree: 500, bavail: 400, files: 100, ffree: 75 }))
  }

  read = (path: string): string => {
    this.reads++
    const text = this.files.get(path)
    if (text === undefined)
      throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' })
    return text
  }

  has = (path: string): boolean => this.files.has(path)

  space = (mount_point: string): Promise<Space> =>
    this.disks.get(mount_point)?.() ?? Promise.reject(new Error('EACCES: permission denied'))

  boot(id: string): void {
    this.files.set('/proc/sys/kernel/random/boot_id', `${id}\n`)
  }

  addLink(name: string, { has, ...files }: CapturedLink): void {
    for (const [file, text] of Object.entries(files)) this.files.set(`/sys/class/net/${name}/${file}`, text)
    for (const file of has) this.files.set(`/sys/class/net/${name}/${file}`, '')
  }

  /** Another interface under the name: a new index. */
  remake(name: string, index: number): void {
    this.files.set(`/sys/class/net/${name}/uevent`, `INTERFACE=${name}\nIFINDEX=${index}\n`)
  }

  /** Sets the interfaces that exist, with their bytes. */
  traffic(counters: Record<string, readonly [rx: number, tx: number]>): void {
    this.#counters = counters
    const lines = Object.entries(this.#counters).map(
      ([name, [rx, tx]]) => `${name.padStart(6)}: ${rx} 1 0 0 0 0 0 0 ${tx} 1 0 0 0 0 0 0`,
    )
    this.files.set('/proc/net/dev', `${HEADING}\n${lines.join('\n')}\n`)
  }
}
