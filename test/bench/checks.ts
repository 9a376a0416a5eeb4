// What checking destinations costs: a thousand of them, each a server of its own on loopback, checked every five
// seconds by the checker of the web daemon in this process. The servers run beside it, so that only the checks are
// counted.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Checker } from '@panel/web-daemon/features/failover/checker.ts'
import { CheckHistory } from '@panel/web-daemon/features/failover/history.ts'
import { judge, UNDECIDED, type Judgement } from '@panel/web-daemon/features/failover/judge.ts'
import { runCheck } from '@panel/web-daemon/features/failover/run-check.ts'
import { mebibytes, type Section } from './table.ts'

const DESTINATIONS = 1000
const INTERVAL_MS = 5000
const WARM_UP_MS = 8 * INTERVAL_MS
const MEASURED_S = 30
const AIM_PERCENT = 3
const RULES = { fall: 3, rise: 2, interval_ms: INTERVAL_MS }
const SERVER = fileURLToPath(new URL('checks-server.ts', import.meta.url))

export async function checksPart(tell: (section: Section) => void): Promise<void> {
  const server = fork(SERVER, [], { execArgv: ['--import=tsx'] })
  try {
    const [port] = (await once(server, 'message')) as [number]
    for (const kind of ['tcp', 'http'] as const) tell(await measure(kind, port))
  } finally {
    server.kill()
  }
}

async function measure(kind: 'tcp' | 'http', port: number): Promise<Section> {
  const judged = new Map<number, Judgement>()
  const histories = new Map<number, CheckHistory>()
  let samples = 0
  const checker = new Checker({
    run: runCheck,
    echoes: { set: () => undefined },
    onSample: (id, sample) => {
      samples += 1
      judged.set(id, judge(judged.get(id) ?? UNDECIDED, sample, RULES, Date.now()))
      const history = histories.get(id) ?? new CheckHistory()
      histories.set(id, history)
      history.add(sample.outcome === 'success', sample.latency_ms, Date.now())
    },
  })
  for (let id = 1; id <= DESTINATIONS; id += 1) checker.put(subscription(id, kind, port))
  // Every destination has been checked some times, so that the code is compiled, as it is in a daemon that runs for weeks.
  await sleep(WARM_UP_MS)
  const [used, began, before] = [process.cpuUsage(), performance.now(), samples]
  await sleep(MEASURED_S * 1000)
  const { user, system } = process.cpuUsage(used)
  const seconds = (performance.now() - began) / 1000
  checker.close()
  const up = [...judged.values()].filter(({ state }) => state === 'up').length
  if (up !== DESTINATIONS) throw new Error(`${up} of ${DESTINATIONS} destinations are up`)
  const percent = (user + system) / 10_000 / seconds
  return {
    title: `checks: ${DESTINATIONS} destinations over ${kind.toUpperCase()} every ${INTERVAL_MS / 1000} s`,
    rows: [
      {
        what: 'processor time of the web daemon, of one core',
        median: `${percent.toFixed(1)} %`,
        aim: `< ${AIM_PERCENT} %`,
        isMet: percent < AIM_PERCENT,
      },
      { what: '  of that, in the kernel', median: `${(system / 10_000 / seconds).toFixed(1)} %` },
      { what: 'checks a second', median: ((samples - before) / seconds).toFixed(0) },
      { what: 'memory of the process', median: mebibytes(process.memoryUsage().rss) },
    ],
  }
}

/** Each on an address of its own, so that none is shared. */
const subscription = (id: number, kind: 'tcp' | 'http', port: number) => ({
  id,
  target: {
    kind,
    address: `127.1.${id >> 8}.${id & 255}`,
    port,
    source: null,
    path: '/',
    host: '',
    expect_status: null,
  },
  interval_ms: INTERVAL_MS,
  timeout_ms: 2000,
})
