// Relay rules with real traffic: client, relay and server in networks of their own on this machine, one relay for each layout of rules.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, setPriority } from 'node:os'
import { join } from 'node:path'
import { layOut } from '../programs.ts'
import type { Section } from '../table.ts'
import { byIptables, limits, linear, panels, userSpace, type Lane } from './layouts.ts'
import { Load, type Kind } from './load.ts'
import { Stage } from './stage.ts'
import { measureAll, type Measured } from './traffic.ts'
import { connectionsSection, datagramsSection, latencySection, streamSections } from './traffic-sections.ts'

type Tell = (section: Section) => void

const WINDOW_MS = Number(process.env['PANEL_BENCH_WINDOW_MS'] || 300)
const ROUNDS = { warm_up: 1, rounds: Number(process.env['PANEL_BENCH_ROUNDS'] || 7), budget_ms: 60_000 }
/** Ahead of whatever else the machine does; what is started from here inherits it. */
const PRIORITY = -15

export async function relayPart(tell: Tell): Promise<void> {
  setPriority(PRIORITY)
  const folder = mkdtempSync(join(tmpdir(), 'panel-bench-'))
  const stage = await Stage.open()
  try {
    const programs = await layOut(folder)
    const load = await Load.open(folder, stage)
    const { lanes: ours } = await panels(stage, folder, programs)
    const { lanes: theirs, missing } = await userSpace(stage, folder)
    const lanes = [...(await limits(stage)), ...ours, ...(await linear(stage)), ...(await byIptables(stage)), ...theirs]
    if (missing.length > 0) console.error(`relay: not here: ${missing.join(', ')}`)
    await traffic(load, lanes, tell)
  } finally {
    await stage.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function traffic(load: Load, lanes: readonly Lane[], tell: Tell): Promise<void> {
  const measured = (kind: Kind): Promise<Measured> => {
    console.error(`relay: ${kind}`)
    return measureAll(load, lanes, kind, WINDOW_MS, ROUNDS)
  }
  tell(connectionsSection(lanes, await measured('connections')))
  tell(datagramsSection(lanes, await measured('datagrams')))
  for (const section of streamSections(lanes, await measured('stream'))) tell(section)
  tell(latencySection(lanes, await measured('round_trips')))
}
