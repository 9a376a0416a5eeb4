// Loads the addon of the web daemon: what it tells the service manager, and what it gives up at its start.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Each throws an Error whose `code` is the errno's name. Source: service.c. */
export interface Service {
  /** False where NOTIFY_SOCKET is not set (sd_notify(3)). */
  sdNotify(text: string): boolean
  /** From now on no thread of this process can start a program, and nothing undoes that. */
  forbidPrograms(): void
}

// A bundle has the addon beside it; run from source, it is where the build puts it.
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
