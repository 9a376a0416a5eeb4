// Relay rules with real traffic: client, relay and server in networks of their own on this machine, one relay for each
// layout of rules.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { getPriority, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import { layOut, type Programs } from '../programs.ts'
import type { Section } from '../table.ts'
import { causesSection } from './causes.ts'
import { changesSection } from './changes.ts'
import { controlSection } from './control.ts'
import { desiredSection } from './desired.ts'
import { limits, panels, SIZES, type Lane } from './layouts.ts'
import { impactSection } from './impact.ts'
import { Load, type Kind } from './load.ts'
import { loadingSection } from './loading.ts'
import type { Panel } from './panel.ts'
import { rulesOf } from './rules.ts'
import { Stage } from './stage.ts'
import { measureAll, type Measured } from './traffic.ts'
import { connectionsSection, datagramsSection, latencySection, streamSections } from './traffic-sections.ts'

type Tell = (section: Section) => void

const WINDOW_MS = 250
/** The rounds of one kind. With some ten lanes a round takes about three seconds. */
const ROUNDS = { warm_up: 1, rounds: 7, budget_ms: 55_000 }
const CHANGED = 1000
/** Ahead of whatever else the machine does; what is started from here inherits it. */
const PRIORITY = -15

/** What traffic costs by each layout. */
export const relayPart = (tell: Tell): Promise<void> => onStage(tell, measureTraffic)
/** What it costs to know how the rules are. */
export const causesPart = (tell: Tell): Promise<void> =>
  onStage(tell, async (stage, folder, programs) => {
    const { panels: made } = await panels(stage, folder, programs)
    for (const count of [1000, 10_000]) {
      console.error(`causes: ${count} rules`)
      tell(await causesSection(panelOf(made, count), programs, count))
    }
  })
/** What it costs to take all rules from a file. */
export const desiredPart = (tell: Tell): Promise<void> =>
  onStage(tell, async (stage, folder, programs) => tell(await desiredSection(stage, folder, programs)))
/** What a change of the rules costs, without traffic. */
export const rulesPart = (tell: Tell): Promise<void> => onStage(tell, measureRules)

type Measure = (stage: Stage, folder: string, programs: Programs, tell: Tell) => Promise<void>

/** Runs a part ahead of other processes. */
export async function onStage(tell: Tell, measure: Measure): Promise<void> {
  const priority = getPriority()
  setPriority(PRIORITY)
  const folder = mkdtempSync(join(tmpdir(), 'panel-bench-'))
  // mkdtemp keeps its folder to its maker, and the web daemon is another user.
  chmodSync(folder, 0o711)
  const stage = await Stage.open()
  try {
    await measure(stage, folder, await layOut(folder), tell)
  } finally {
    await stage.close()
    rmSync(folder, { recursive: true, force: true })
    setPriority(priority)
  }
}

async function measureTraffic(stage: Stage, folder: string, programs: Programs, tell: Tell): Promise<void> {
  const load = await Load.open(folder, stage)
  const { lanes: ours, panels: made } = await panels(stage, folder, programs)
  await traffic(load, [...(await limits(stage)), ...ours], tell)
  await changes(stage, load, made, tell)
}

async function measureRules(stage: Stage, folder: string, programs: Programs, tell: Tell): Promise<void> {
  const { panels: made } = await panels(stage, folder, programs)
  console.error('rules: loading')
  tell(await loadingSection(stage, folder, programs))
  for (const count of SIZES) {
    console.error(`rules: one of ${count} rules changed`)
    tell(await controlSection(stage, panelOf(made, count), programs, count))
  }
  console.error('rules: the impact of a change')
  tell(await impactSection(stage, panelOf(made, CHANGED), CHANGED))
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

async function changes(stage: Stage, load: Load, made: ReadonlyMap<number, Panel>, tell: Tell): Promise<void> {
  console.error('relay: changes under traffic')
  const bare = await stage.relay()
  await bare.nft(rulesetText(null, rulesOf(bare, CHANGED)))
  tell(await changesSection(load, panelOf(made, CHANGED), bare, CHANGED))
}

function panelOf(made: ReadonlyMap<number, Panel>, count: number): Panel {
  const panel = made.get(count)
  if (!panel) throw new Error(`No panel has ${count} rules`)
  return panel
}
