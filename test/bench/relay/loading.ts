// How long it takes to load so many rules into a network that has none.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import type { Programs } from '../programs.ts'
import { mebibytes, ms, type Row, type Section } from '../table.ts'
import { rulesOf } from './rules.ts'
import { Panel } from './panel.ts'
import type { Relay, Stage } from './stage.ts'

const MANY = 50_000
const MANY_AIM_MS = 4000
const COMMON = 10_000

const took = async (act: () => Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await act()
  return performance.now() - started
}

/** Each once, since each takes seconds. */
export async function loadingSection(stage: Stage, folder: string, programs: Programs): Promise<Section> {
  const by = async (
    what: string,
    text: string,
    load: (text: string) => Promise<unknown>,
  ): Promise<Row & { took_ms: number }> => {
    const took_ms = await took(() => load(text))
    return { what: `${what} (${mebibytes(text.length)})`, median: ms(took_ms), took_ms }
  }
  const [ours, many] = [await stage.relay(), await stage.relay()]
  const reference = await by(
    `this panel's text by nft -f, ${COMMON.toLocaleString('en')} rules`,
    rulesetText(null, rulesOf(ours, COMMON)),
    (text) => ours.nft(text),
  )
  const fifty = await by(
    `this panel's text by nft -f, ${MANY.toLocaleString('en')} rules`,
    rulesetText(null, rulesOf(many, MANY)),
    (text) => many.nft(text),
  )
  return {
    title: 'rules: loaded into an empty table, once each',
    rows: [
      { ...reference, ratio: 'reference' },
      {
        ...fifty,
        ratio: `× ${(fifty.took_ms / reference.took_ms).toFixed(2)}`,
        aim: `< ${ms(MANY_AIM_MS)}`,
        isMet: fifty.took_ms < MANY_AIM_MS,
      },
      await started(await stage.relay(), folder, programs),
    ],
  }
}

/** Starts the helper with nothing in force, like a boot; it serves once everything is. */
async function started(relay: Relay, folder: string, programs: Programs): Promise<Row> {
  const at = join(folder, 'boot')
  mkdirSync(at)
  const panel = new Panel(relay, at, programs)
  panel.keep(rulesOf(relay, COMMON))
  return {
    what: `the helper started where ${COMMON.toLocaleString('en')} rules were in force before, until it serves`,
    median: ms(await took(() => panel.startHelper())),
  }
}
