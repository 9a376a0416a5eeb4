// A disk of a few megabytes that only this process and its children see: the test file is run once more, inside a mount
// namespace.
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const MOUNTED_AT = 'PANEL_SMALL_DISK'

/** The place where it is mounted, inside the namespace; null outside. */
export const smallDisk = process.env[MOUNTED_AT] ?? null

/** Runs the tests of `file` on such a disk at `folder`; throws with mocha's output if one fails. */
export function runOnSmallDisk(file: string, folder: string): void {
  const inside = 'mount -t tmpfs -o size=3m none "$1" && shift && exec "$@"'
  const mocha = [process.execPath, 'node_modules/mocha/bin/mocha.js', '--import=tsx', file]
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['--user', '--map-root-user', '--mount', 'sh', '-c', inside, 'sh', folder, ...mocha],
    { env: { ...process.env, [MOUNTED_AT]: folder }, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
}

const ballastIn = (folder: string): string => join(folder, 'ballast')

const PAGE_BYTES = 4096

/** Nothing is left of the last page of a file that lines are appended to. */
export function fillLastPage(path: string): void {
  const used = statSync(path).size % PAGE_BYTES
  if (used > 0) appendFileSync(path, '\n'.repeat(PAGE_BYTES - used))
}

/** Not a page is left. */
export function fillUp(folder: string): void {
  const file = openSync(ballastIn(folder), 'a')
  const page = Buffer.alloc(PAGE_BYTES)
  try {
    for (;;) writeSync(file, page)
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'ENOSPC') throw failure
  } finally {
    closeSync(file)
  }
}

export const makeRoom = (folder: string): void => rmSync(ballastIn(folder))

/** The kernel shows the owner of the disk by an id that an ordinary user's namespace cannot repeat. */
export const remount = (folder: string, how: 'ro' | 'rw'): void =>
  void execFileSync('mount', ['--options-source', 'disable', '-o', `remount,${how}`, folder])
