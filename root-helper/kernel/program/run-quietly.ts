// Runs a program for its effect on systemd. Its errors go to the log only, since the files that it was to read are
// correct either way.
import { execFile } from 'node:child_process'
import { log } from '../../log.ts'

const TIMEOUT_MS = 60_000

export function runQuietly(program: string, args: string[]): Promise<void> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: TIMEOUT_MS }, (error, _stdout, stderr) => {
      if (error)
        log('error', `"${[program, ...args].join(' ')}" failed; run it by hand`, { detail: stderr || error.message })
      resolve()
    })
  })
}
