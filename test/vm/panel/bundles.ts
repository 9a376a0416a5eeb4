// What the lab machine is given of the panel: the shipped bundle, and the drivers that only tests have.
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { BUNDLE, bundle } from '../../../packaging/build/build.ts'
import type { Lab } from '../lab/index.ts'

export const PANEL = '/opt/panel'
const GUEST_DRIVERS = '/opt/drivers'

/** The bundle as `npm run build` left it. */
export async function putPanel(lab: Lab): Promise<void> {
  await lab.put(PANEL, BUNDLE)
  // As dpkg does, so that a power cut soon after leaves it whole.
  await lab.run('sync')
}

/**
 * Bundles a program of the tests and answers with its path in the machine. Test files run at the same time, so none
 * finds what another has bundled.
 */
export async function putDriver(lab: Lab, source: string): Promise<string> {
  const name = basename(source, '.ts')
  const folder = await mkdtemp(join(tmpdir(), 'panel-driver-'))
  try {
    await bundle(`test/${source}`, join(folder, `${name}.cjs`))
    await copyFile(join(BUNDLE, 'panel.node'), join(folder, 'panel.node'))
    await lab.put(GUEST_DRIVERS, folder)
  } finally {
    await rm(folder, { recursive: true })
  }
  return `${GUEST_DRIVERS}/${name}.cjs`
}
