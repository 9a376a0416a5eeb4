// What is run: a copy of the shipped bundle, which a build beside cannot take away, and the drivers, bundled to run
// without this tree.
import { copyFile, cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BUNDLE, bundle } from '../../packaging/build/build.ts'
import type { Jobs } from './driver/jobs.ts'

const DRIVERS: readonly (keyof Jobs)[] = [
  'list',
  'reconcile',
  'create',
  'many',
  'relay',
  'seed',
  'watch',
  'windows',
  'checked',
]

export interface Programs {
  readonly panel: string
  readonly drivers: string
  /** A folder with the helper that shows links of another kind as tunnels. */
  readonly standIn: string
}

/** PANEL_BENCH_BUNDLE names another bundle than the one built here, so that two builds can be compared. */
const bundleToMeasure = (): string => process.env['PANEL_BENCH_BUNDLE'] || BUNDLE

export async function layOut(folder: string): Promise<Programs> {
  const programs = { panel: join(folder, 'panel'), drivers: join(folder, 'drivers'), standIn: join(folder, 'stand-in') }
  await mkdir(programs.drivers, { recursive: true })
  await cp(bundleToMeasure(), programs.panel, { recursive: true })
  await mkdir(programs.standIn)
  await Promise.all(
    DRIVERS.map((name) => bundle(`test/bench/driver/${name}.ts`, join(programs.drivers, `${name}.cjs`))),
  )
  await bundle('test/bench/driver/stalls.ts', join(programs.drivers, 'stalls.cjs'))
  await bundle('test/bench/driver/stand-in-helper.ts', join(programs.standIn, 'helper.cjs'))
  await copyFile(join(bundleToMeasure(), 'panel.node'), join(programs.standIn, 'panel.node'))
  await copyFile(join(bundleToMeasure(), 'better_sqlite3.node'), join(programs.drivers, 'better_sqlite3.node'))
  return programs
}
