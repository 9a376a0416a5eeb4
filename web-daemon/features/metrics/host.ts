// What metrics are read from: files of /proc and /sys that anybody may read, and the space of file systems.
import { existsSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'

/** In blocks, but for the inodes. */
export interface Space {
  readonly bsize: number
  readonly blocks: number
  readonly bfree: number
  readonly bavail: number
  readonly files: number
  readonly ffree: number
}

export interface Host {
  /** Throws as the system does. */
  readonly read: (path: string) => string
  readonly has: (path: string) => boolean
  readonly space: (mount_point: string) => Promise<Space>
}

/** The kernel makes these files as they are read, without waiting for anything, so to read them costs less than to ask a thread to. */
export const thisHost: Host = {
  read: (path) => readFileSync(path, 'utf8'),
  has: existsSync,
  space: (mount_point) => statfs(mount_point),
}
