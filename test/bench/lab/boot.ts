// A boot that makes a thousand tunnels from their units, beside the same boot without them and beside ip(8) making the
// same links.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { savedFileName } from '@panel/shared/tunnel/saved-file.ts'
import { renderSystemdUnit } from '@panel/shared/tunnel/systemd-unit.ts'
import { stateOf } from '@panel/web-daemon/features/tunnels/record.ts'
import type { Lab } from '../../vm/lab/index.ts'
import { batchOf, commandsFor } from '../driver/ip.ts'
import type { Ends } from '../driver/jobs.ts'
import { nameOf, NUMBERS, tunnelOf } from '../driver/rows.ts'
import { ms, type Section } from '../table.ts'

const UNITS = '/etc/systemd/system'
const WITHIN_MS = 1_500_000
const ANSWER_MS = 300_000

/**
 * `folder` is one of the host, for the units on their way. Times are of the machine's own clock, from the start of its
 * kernel.
 */
export async function bootSection(lab: Lab, folder: string, count: number, ends: Ends): Promise<Section> {
  console.error('lab: boot')
  await lab.reset()
  const bare = await secondsToBoot(lab)
  await lab.put(UNITS, unitsFor(folder, count, ends))
  await lab.run('sync')
  await lab.reset(WITHIN_MS)
  const withUnits = await secondsToBoot(lab)
  const made = await links(lab)
  if (made !== count) throw new Error(`The boot has made ${made} tunnels of ${count}`)
  const byUnits = await secondsForUnits(lab)
  const byIp = await secondsForIp(lab, count, ends)
  return {
    title: `lab: a boot with ${count} enabled units`,
    rows: [
      { what: 'ip -batch of the same links', median: ms(byIp * 1000), ratio: 'reference' },
      {
        what: `the ${count} units, from the first one's start to the last one's end`,
        median: ms(byUnits * 1000),
        ratio: `× ${(byUnits / byIp).toFixed(2)}`,
      },
      { what: 'from the kernel to all started, without them', median: ms(bare * 1000) },
      { what: 'from the kernel to all started, with them', median: ms(withUnits * 1000) },
    ],
  }
}

function unitsFor(folder: string, count: number, ends: Ends): string {
  const wants = join(folder, 'boot/multi-user.target.wants')
  mkdirSync(wants, { recursive: true })
  for (const number of NUMBERS(count)) {
    const { interface_name, link } = stateOf(tunnelOf(number, ends))
    if (!link) throw new Error(`${interface_name} has no link to keep`)
    writeFileSync(
      join(folder, 'boot', savedFileName('systemd_unit', interface_name)),
      renderSystemdUnit(interface_name, link.config),
    )
    symlinkSync(
      `../${savedFileName('systemd_unit', interface_name)}`,
      join(wants, savedFileName('systemd_unit', interface_name)),
    )
  }
  return join(folder, 'boot')
}

const links = async (lab: Lab): Promise<number> =>
  Number(await lab.run(`ip -o link show type gre | grep -c ' ${nameOf(1).replace(/1$/, '')}'`))

/**
 * systemd says 0 until the last job of the boot is done, and nothing for minutes while it starts a thousand units on an
 * emulated processor.
 */
async function secondsToBoot(lab: Lab): Promise<number> {
  for (const deadline = Date.now() + WITHIN_MS; Date.now() < deadline; await sleep(1000)) {
    const output = await lab
      .try('systemctl show --property=FinishTimestampMonotonic --value', { timeoutMs: ANSWER_MS })
      .catch(() => null)
    if (output?.code === 0 && Number(output.stdout) > 0) return Number(output.stdout) / 1e6
  }
  throw new Error(`The machine has not booted within ${WITHIN_MS / 1000} s`)
}

async function secondsForUnits(lab: Lab): Promise<number> {
  const output = await lab.run(
    `systemctl show --property=InactiveExitTimestampMonotonic,ActiveEnterTimestampMonotonic '${savedFileName('systemd_unit', '*')}'`,
    { timeoutMs: ANSWER_MS },
  )
  const times = (name: string): number[] =>
    [...output.matchAll(new RegExp(`^${name}=(\\d+)$`, 'gm'))].map(([, time]) => Number(time))
  return (
    (Math.max(...times('ActiveEnterTimestampMonotonic')) - Math.min(...times('InactiveExitTimestampMonotonic'))) / 1e6
  )
}

async function secondsForIp(lab: Lab, count: number, ends: Ends): Promise<number> {
  await lab.run('ip netns add bare && ip -n bare link set lo up')
  const batch = batchOf(NUMBERS(count).flatMap((number) => commandsFor(stateOf(tunnelOf(number, ends)))))
  const output = await lab.run(
    'sh',
    ['-c', 's=$(date +%s%N); ip -n bare -batch - && e=$(date +%s%N) && echo $((e - s))'],
    { stdin: batch, timeoutMs: ANSWER_MS },
  )
  return Number(output) / 1e9
}
