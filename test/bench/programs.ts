// What is run: a copy of the shipped bundle, which a build beside cannot take away, and the drivers, bundled to run
// without this tree.
import { copyFile, cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BUNDLE, bundle } from '../../packaging/build/build.ts'
import type { Answer, Job, Jobs } from './driver/jobs.ts'
import type { Namespace } from './host/namespace.ts'

const DRIVERS: readonly (keyof Jobs)[] = [
  'list',
  'reconcile',
  'create',
  'many',
  'relay',
  'causes',
  'seed',
  'watch',
  'windows',
  'checked',
  'desired',
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

/** Runs a driver in a network of its own, with the daemons that it measures. */
export const driven = async <N extends keyof Jobs>(
  { drivers }: Programs,
  network: Namespace,
  name: N,
  job: Job<N>,
): Promise<Answer<N>> =>
  JSON.parse(await network.run([process.execPath, join(drivers, `${name}.cjs`), JSON.stringify(job)])) as Answer<N>
