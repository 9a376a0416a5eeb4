// Loads the native addon of the web daemon: sd_notify, and giving up the right to start programs.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Each function throws an Error whose `code` is the errno's name. Source: service.c. */
export interface Service {
  /** False if NOTIFY_SOCKET is not set (sd_notify(3)). */
  sdNotify(text: string): boolean
  /** Forbids all threads of this process to start a program; it cannot be undone. */
  forbidPrograms(): void
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
