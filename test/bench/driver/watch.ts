// What it costs to watch all tunnels every second: the daemons are left alone meanwhile, and each tunnel must be Up
// without a loss in the end.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MonitorSummaryAnswer } from '@panel/shared/api/monitor.ts'
import { daemonsHere, memoryOf, processorTimeOf, type Daemons } from './daemons.ts'
import { Http } from './http.ts'
import { work, type Answer, type Stall } from './jobs.ts'
import { scheduleOf } from './schedule.ts'

const SETTLES_WITHIN_MS = 120_000
/** The time after which code is compiled and the heap has its usual size. */
const WARM_UP_MS = 15_000

work<'watch'>(async ({ panel, count, seconds, stalls }) => {
  const http = await Http.operator(panel.url)
  const summary = async (): Promise<MonitorSummaryAnswer> =>
    (await http.expect<MonitorSummaryAnswer>(200, 'GET', '/monitor/summary')).body
  const began = performance.now()
  while ((await summary()).counts.Up < count) {
    if (performance.now() - began > SETTLES_WITHIN_MS)
      throw new Error(`After ${SETTLES_WITHIN_MS} ms the tunnels are ${JSON.stringify((await summary()).counts)}`)
    await sleep(500)
  }
  const settled_ms = performance.now() - began
  await sleep(WARM_UP_MS)
  const daemons = daemonsHere()
  const before = processorTimeOf(daemons)
  const schedule = await scheduleOf(seconds)
  const after = processorTimeOf(daemons)
  const longest = await stalledMost(daemons, stalls, seconds)
  const memory = memoryOf(daemons)
  check(await summary(), count)
  return {
    processor: { helper: (after.helper - before.helper) / seconds, web: (after.web - before.web) / seconds },
    memory,
    stalls: longest,
    schedule,
    settled_ms,
  }
})

async function stalledMost(
  { helper, web }: Daemons,
  folder: string,
  seconds: number,
): Promise<Answer<'watch'>['stalls']> {
  const tell = (): void => [helper, web].forEach((pid) => process.kill(pid, 'SIGUSR2'))
  const stallOf = async (pid: number): Promise<Stall> => {
    for (const until = performance.now() + 10_000; ; await sleep(50)) {
      try {
        return JSON.parse(readFileSync(join(folder, `${pid}`), 'utf8')) as Stall
      } catch (missing) {
        if (performance.now() > until) throw missing
      }
    }
  }
  for (const pid of [helper, web]) rmSync(join(folder, `${pid}`), { force: true })
  tell()
  await sleep(1000 * seconds)
  tell()
  return { helper: await stallOf(helper), web: await stallOf(web) }
}

/** Nothing gets lost between two namespaces of one machine, unless answers are not read in time. */
function check({ tunnels, counts }: MonitorSummaryAnswer, count: number): void {
  if (counts.Up !== count) throw new Error(`In the end the tunnels are ${JSON.stringify(counts)}`)
  const bad = tunnels.find(({ stats }) => stats.lost > 0 || stats.received < 50)
  if (bad) throw new Error(`Of ${bad.interface_name} this was seen: ${JSON.stringify(bad.stats)}`)
}
