// Where a child's network namespace is. Between its start and unshare it is still in ours, where nothing may be
// changed.
import { readlinkSync } from 'node:fs'
import type { ChildProcess } from 'node:child_process'

export function namespaceOf({ pid }: Pick<ChildProcess, 'pid'>): string {
  const path = `/proc/${pid}/ns/net`
  for (let tries = 0; readlinkSync(path) === readlinkSync('/proc/self/ns/net'); tries += 1) {
    if (tries > 100_000) throw new Error(`${pid} has no network namespace of its own`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  }
  return path
}
