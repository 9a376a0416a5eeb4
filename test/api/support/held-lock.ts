// Holds a store locked from another process, as a shell of sqlite3 left open does.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const HOLDER = fileURLToPath(new URL('./holder.cjs', import.meta.url))

/** Resolves once the lock is held, with what lets go of it. Readers are let in unless `statement` says otherwise. */
export async function holdLock(path: string, statement = 'begin exclusive'): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [HOLDER, path, statement], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return async () => {
    const ended = once(child, 'exit')
    child.stdin.write('\n')
    await ended
  }
}
