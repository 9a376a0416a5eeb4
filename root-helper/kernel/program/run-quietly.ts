// Runs a program of systemd. Its errors go to the log only, since the files that it was to read are correct either way.
import { execFile } from 'node:child_process'
import { log } from '../../log.ts'

const TIMEOUT_MS = 60_000

/** Resolves with what it printed; with nothing where it failed. */
export function runQuietly(program: string, args: string[], timeout_ms = TIMEOUT_MS): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: timeout_ms }, (error, stdout, stderr) => {
      if (error)
        log('error', `"${[program, ...args].join(' ')}" failed; run it by hand`, { detail: stderr || error.message })
      resolve(error ? '' : stdout)
    })
  })
}
