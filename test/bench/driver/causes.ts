// What it costs to know how the relay rules are: at rest, in a pass after the ruleset changed, and how soon what stops
// them is an incident.
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AttentionAnswer } from '@panel/shared/api/incidents.ts'
import type { RouteAnswer } from '@panel/shared/api/routes/answers.ts'
import { daemonsHere, processorTimeOf } from './daemons.ts'
import { Http } from './http.ts'
import { work, type Answer, type Costs, type Job } from './jobs.ts'

/** The daemons' first passes and samples are of code that is not compiled yet. */
const WARM_UP_MS = 30_000
const REST_MS = 20_000
/** After a pass the daemon rests nine times as long as it took, so that this is enough for the longest. */
const PASS_MS = 6000
const PASSES = 8
const WARM_PASSES = 4
const FOREIGN_RULES = 300
const LOOK_MS = 20

work<'causes'>(async ({ panel, breaks }) => {
  nft(crowd())
  await sleep(WARM_UP_MS)
  for (let turn = 0; turn < WARM_PASSES; turn += 1) await afterChange(turn)
  const rest = await costsOf(REST_MS, () => sleep(REST_MS))
  const passes: Costs[] = []
  for (let turn = 0; turn < PASSES; turn += 1) {
    const spent = await costsOf(1000, () => afterChange(turn))
    const ofRest = PASS_MS / 1000
    passes.push({ helper: spent.helper - ofRest * rest.helper, web: spent.web - ofRest * rest.web })
  }
  // The daemon closes a connection that was idle for two minutes.
  const http = await Http.operator(panel.url)
  const seen: Answer<'causes'>['seen'] = []
  for (const each of breaks) seen.push(await broken(http, each))
  return { rest, passes, seen }
})

/** Milliseconds of processor time in each second of so many. */
async function costsOf(span_ms: number, during: () => Promise<void>): Promise<Costs> {
  const daemons = daemonsHere()
  const before = processorTimeOf(daemons)
  await during()
  const after = processorTimeOf(daemons)
  const each = (key: keyof Costs): number => ((after[key] - before[key]) * 1000) / span_ms
  return { helper: each('helper'), web: each('web') }
}

function nft(text: string): void {
  execFileSync('nft', ['-f', '-'], { input: text })
}

/** Rules of other software, none of which concerns what is relayed. */
function crowd(): string {
  const rules = Array.from(
    { length: FOREIGN_RULES },
    (_, at) => `ip daddr 10.200.${at >> 8}.${at & 255} tcp dport 22 accept`,
  )
  return `table inet crowd { chain forward { type filter hook forward priority 5; policy accept;\n${rules.join('\n')}\n}\n}\n`
}

async function afterChange(turn: number): Promise<void> {
  nft(`add rule inet crowd forward ip daddr 10.201.0.${turn} tcp dport 22 accept\n`)
  await sleep(PASS_MS)
}

const CHANGES = 5
type Break = Job<'causes'>['breaks'][number]

/** Until it is an incident, and after it was mended until it is none. */
async function broken(http: Http, { code, how, mended }: Break): Promise<Answer<'causes'>['seen'][number]> {
  const [shown, gone]: [number[], number[]] = [[], []]
  for (let round = 0; round < CHANGES; round += 1) {
    shown.push(await until(http, how, (routes) => routes > 0))
    const { body } = await http.expect<RouteAnswer>(200, 'GET', '/routes/1')
    const codes = body.health.causes.map((cause) => cause.code)
    if (!codes.includes(code)) throw new Error(`${how.join('; ')} is ${codes.join(', ')} where ${code} is due`)
    await sleep(PASS_MS)
    gone.push(await until(http, mended, (routes) => routes === 0))
    await sleep(PASS_MS)
  }
  return { code, shown, gone }
}

async function until(http: Http, how: readonly string[], holds: (routes: number) => boolean): Promise<number> {
  const began = performance.now()
  execFileSync('sh', ['-ec', how.join('\n')])
  for (;;) {
    const { body } = await http.expect<AttentionAnswer>(200, 'GET', '/reconcile/attention')
    if (holds(body.incidents.filter(({ kind }) => kind === 'route').length)) return performance.now() - began
    await sleep(LOOK_MS)
  }
}
