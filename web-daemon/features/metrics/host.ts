// The sources of the metrics: world-readable files of /proc and /sys, and the space of file systems.
import { existsSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'

/** In blocks; `files` and `ffree` count inodes. */
export interface Space {
  readonly bsize: number
  readonly blocks: number
  readonly bfree: number
  readonly bavail: number
  readonly files: number
  readonly ffree: number
}

export interface Host {
  /** Throws the error of the system call. */
  readonly read: (path: string) => string
  readonly has: (path: string) => boolean
  readonly space: (mount_point: string) => Promise<Space>
}

/** Synchronous: the kernel generates these files without waiting, so a read costs less than a hand-over to a thread. */
export const thisHost: Host = {
  read: (path) => readFileSync(path, 'utf8'),
  has: existsSync,
  space: (mount_point) => statfs(mount_point),
}
