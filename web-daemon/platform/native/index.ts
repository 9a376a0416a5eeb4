// Loads the native addon of the web daemon: sd_notify, giving up the right to start programs, and files apart.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Each function throws an Error whose `code` is the errno's name. Sources: service.c, apart.c. */
export interface Service {
  /** False if NOTIFY_SOCKET is not set (sd_notify(3)). */
  sdNotify(text: string): boolean
  /** Forbids all threads of this process to start a program; it cannot be undone. */
  forbidPrograms(): void
  /** Forks a process that does file operations by itself (files-apart.ts), and returns its id and this end of its socket. */
  forkFiles(): readonly [pid: number, fd: number]
  /** Whether a process that was forked is over; once it is, its id belongs to nobody. */
  reap(pid: number): boolean
}

// In a bundle the addon is beside it; from source it is where the build puts it.
const here = dirname(fileURLToPath(import.meta.url))
const places = [join(here, 'service.node'), join(here, '../../../.build/native/service.node')]

function load(): Service {
  const path = places.find((place) => existsSync(place))
  if (!path)
    throw new Error(
      `the addon is not built (looked for ${places.join(' and ')}): run node root-helper/native/build.mjs`,
    )
  return createRequire(import.meta.url)(path) as Service
}

export const service: Service = load()
