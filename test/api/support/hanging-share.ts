// A directory on a file system whose server never answers (fuse(4)), which only this process and its children see: the
// test file is run once more, inside a mount namespace.
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const INSIDE = 'PANEL_HANGING_SHARE'

/** A folder for mount points, inside the namespace; null outside. */
export const folderOfShares = process.env[INSIDE] ?? null

const INSIDE_NAMESPACE = ['--user', '--map-root-user', '--mount']

/** Whether this machine lets a user mount at all; a container may not. */
export const canMountShares = (): boolean =>
  existsSync('/dev/fuse') && spawnSync('unshare', [...INSIDE_NAMESPACE, 'true']).status === 0

/** Runs the tests of `file` where they may mount, below `folder`; throws with mocha's output if one fails. */
export function runWithShares(file: string, folder: string): void {
  const mocha = [process.execPath, 'node_modules/mocha/bin/mocha.js', '--import=tsx', file]
  const { status, stdout, stderr } = spawnSync('unshare', [...INSIDE_NAMESPACE, ...mocha], {
    env: { ...process.env, [INSIDE]: folder },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
}

const [OUT_HEADER_BYTES, INIT_BYTES, REQUEST_BYTES] = [16, 64, 256 * 1024]
const [MAJOR, MINOR, MAX_WRITE] = [7, 31, 4096]

export class HangingShare {
  readonly path: string
  /** How many requests it has left without an answer. */
  taken = 0
  readonly #device: number
  #isGone = false

  /** A process that touches it waits, and can be killed while it waits. */
  constructor(path: string) {
    this.path = path
    this.#device = openSync('/dev/fuse', constants.O_RDWR | constants.O_NONBLOCK)
    const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
    execFileSync('mount', ['-i', '-t', 'fuse', '-o', options, 'hanging', path], {
      stdio: ['ignore', 'inherit', 'inherit', this.#device],
    })
  }

  /** Takes requests from now on without answering any: a process that waits for one cannot even be killed. */
  async takeRequests(): Promise<void> {
    const request = await this.#next()
    const answer = Buffer.alloc(OUT_HEADER_BYTES + INIT_BYTES)
    answer.writeUInt32LE(answer.length, 0)
    request.copy(answer, 8, 8, 16)
    answer.writeUInt32LE(MAJOR, 16)
    answer.writeUInt32LE(MINOR, 20)
    answer.writeUInt32LE(MAX_WRITE, 36)
    writeSync(this.#device, answer)
    void this.#takeAll()
  }

  /** Ends all that waits, as `umount -f` does; an empty folder is left in its place. */
  recover(): void {
    if (this.#isGone) return
    this.#isGone = true
    closeSync(this.#device)
    execFileSync('umount', ['-l', this.path])
  }

  async #takeAll(): Promise<void> {
    while (!this.#isGone) {
      await this.#next()
      this.taken += 1
    }
  }

  async #next(): Promise<Buffer> {
    const bytes = Buffer.alloc(REQUEST_BYTES)
    while (!this.#isGone) {
      try {
        return bytes.subarray(0, readSync(this.#device, bytes))
      } catch (failure) {
        if ((failure as NodeJS.ErrnoException).code !== 'EAGAIN') throw failure
        await sleep(2)
      }
    }
    return bytes
  }
}

/** The processes for file operations that the process has forked; one is there until its parent knows of its end. */
export function forkedBy(parent: number): number[] {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readStat(pid))
  const own = stats.filter(([, name, , its]) => name === '(panel-files)' && its === `${parent}`)
  return own.map(([pid]) => Number(pid))
}

const readStat = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
  } catch {
    return []
  }
}
