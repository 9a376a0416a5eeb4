// The store is only ever touched by its owner: the web daemon cannot write a file that another user has made.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync, type Stats } from 'node:fs'
import { userInfo } from 'node:os'
import { CommandError } from './errors.ts'

/**
 * Root becomes the owner of the folder, for good and before it opens anything there. Any other user is refused. Returns
 * the name of the caller.
 */
export function becomeOwner(state_dir: string): string {
  const caller = callerName()
  const { uid, gid } = readOwner(state_dir)
  const uidOfCaller = process.getuid?.()
  if (uidOfCaller === 0 && uid !== 0) giveUpRoot(uid, gid)
  else if (uidOfCaller !== uid)
    throw new CommandError(
      `${state_dir} belongs to the user ${uid}, who alone can write the store. Run this as root, for instance with sudo; it then works as that user.`,
    )
  process.umask(0o077)
  return caller
}

/** Root, in a node that cannot give that up by itself: Debian's fears io_uring (CVE-2024-22017). */
export function cannotGiveUpRoot(state_dir: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync(state_dir) || readOwner(state_dir).uid === 0) return false
  try {
    process.setgroups?.([])
    return false
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ERR_INVALID_STATE') return true
    throw failure
  }
}

/** Runs this program again as the owner of the folder, and ends as it ends. `input`: null is that of this program. */
export function runAsOwner(state_dir: string, args: readonly string[], input: string | null): void {
  const [program = '', ...words] = asOwner(state_dir, args)
  const { status, error } = spawnSync(program, words, {
    ...(input !== null && { input }),
    stdio: [input === null ? 'inherit' : 'pipe', 'inherit', 'inherit'],
  })
  if (error) throw error
  process.exitCode = status ?? 1
}

const OUTPUT_MAX_BYTES = 256 * 1024 * 1024

/** What this program prints when the owner of the folder runs it, so that root can go on as root. */
export function outputOfOwner(state_dir: string, args: readonly string[]): string {
  const [program = '', ...words] = asOwner(state_dir, args)
  const { status, stdout, error } = spawnSync(program, words, {
    encoding: 'utf8',
    maxBuffer: OUTPUT_MAX_BYTES,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (error) throw error
  // The program itself prints why.
  if (status !== 0) throw new CommandError('')
  return stdout
}

function asOwner(state_dir: string, args: readonly string[]): string[] {
  const program = [process.execPath, ...process.execArgv, process.argv[1] ?? '', ...args]
  const { uid, gid } = readOwner(state_dir)
  if (uid === process.getuid?.()) return program
  const user = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', '--inh-caps=-all']
  return ['setpriv', ...user, ...program]
}

function readOwner(state_dir: string): Stats {
  try {
    return statSync(state_dir)
  } catch (failure) {
    const { code = 'unknown error' } = failure as NodeJS.ErrnoException
    if (code === 'EACCES')
      throw new CommandError(`${state_dir} cannot be read by this user. Run this as root, for instance with sudo.`)
    throw new CommandError(
      `There is no store in ${state_dir} (${code}). Start the web daemon first, or set PANEL_STATE_DIR or PANEL_CONFIG_FILE.`,
    )
  }
}

function giveUpRoot(uid: number, gid: number): void {
  process.setgroups?.([])
  process.setgid?.(gid)
  process.setuid?.(uid)
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid || process.getegid?.() !== gid)
    throw new Error('root could not be given up')
}

/** A user without an account has no name; the number is used then. */
function callerName(): string {
  try {
    return userInfo().username
  } catch {
    return `${process.getuid?.() ?? ''}`
  }
}
