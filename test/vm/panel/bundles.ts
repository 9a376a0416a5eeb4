// What the lab machine is given of the panel: the shipped bundle, and the drivers that only tests have.
import { basename, join } from 'node:path'
import { copyFile, mkdir } from 'node:fs/promises'
import { BUNDLE, ROOT, bundle } from '../../../packaging/build/build.ts'
import type { Lab } from '../lab/index.ts'

const DRIVERS = join(ROOT, '.build/test-bundle')
export const PANEL = '/opt/panel'
const GUEST_DRIVERS = '/opt/drivers'

/** The bundle as `npm run build` left it. */
export const putPanel = (lab: Lab): Promise<void> => lab.put(PANEL, BUNDLE)

/** Bundles a program of the tests and answers with its path in the machine. */
export async function putDriver(lab: Lab, source: string): Promise<string> {
  const name = basename(source, '.ts')
  await mkdir(DRIVERS, { recursive: true })
  await bundle(`test/${source}`, join(DRIVERS, `${name}.cjs`))
  await copyFile(join(BUNDLE, 'panel.node'), join(DRIVERS, 'panel.node'))
  await lab.put(GUEST_DRIVERS, DRIVERS)
  return `${GUEST_DRIVERS}/${name}.cjs`
}
