// The same probes by fping(8): each far end once a second, at the same distance from one another.
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryOfOne, processorTimeOfOne } from './daemons.ts'
import { work } from './jobs.ts'
import { NUMBERS, peerOf } from './rows.ts'
import { scheduleOf } from './schedule.ts'

const WARM_UP_MS = 3000

work<'fping'>(async ({ count, seconds }) => {
  const began = spawn(
    'fping',
    ['-q', '-l', '-p', '1000', '-i', `${Math.max(1, Math.floor(1000 / count))}`, '-f', '-'],
    { stdio: ['pipe', 'ignore', 'pipe'] },
  )
  const said: Buffer[] = []
  began.stderr.on('data', (data: Buffer) => said.push(data))
  const ended = new Promise<number | null>((resolve) => began.once('error', () => resolve(null)).once('close', resolve))
  began.stdin.on('error', () => undefined).end(`${NUMBERS(count).map(peerOf).join('\n')}\n`)
  if (began.pid === undefined) return null
  await sleep(WARM_UP_MS)
  const before = processorTimeOfOne(began.pid)
  const schedule = await scheduleOf(seconds)
  const [processor, memory] = [(processorTimeOfOne(began.pid) - before) / seconds, memoryOfOne(began.pid)]
  began.kill('SIGINT')
  await ended
  const answered = Buffer.concat(said)
    .toString()
    .split('\n')
    .filter((line) => line.includes('/0%,')).length
  if (answered < count * 0.99)
    throw new Error(
      `fping has an answer of ${answered} far ends where ${count} are due: ${Buffer.concat(said).toString().slice(0, 500)}`,
    )
  return { processor, memory, schedule }
})
