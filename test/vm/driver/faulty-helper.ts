// A helper with a fault in it, for the lab: the file that PANEL_FAULT_FILE names says which fault and when. The shipped
// helper has no such door.
import { readFileSync } from 'node:fs'
import { readConfig } from '@panel/root-helper/config.ts'
import { realDeps, startHelper, windowsOver } from '@panel/root-helper/helper.ts'
import { FaultyKernel, from, onlyAt, type Fault } from '../../support/faulty.ts'

/**
 * dies-unanswered: it is killed when the work is done and the journal closed. `at` 0 is no other fault. A new `turn`
 * counts changes from one again.
 */
export interface FaultOrder {
  readonly turn: number
  readonly fault: Fault | 'dies-unanswered'
  readonly at: number
  readonly lasts: boolean
}

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const parts = await realDeps(config)
  const read = (): FaultOrder => JSON.parse(readFileSync(process.env['PANEL_FAULT_FILE']!, 'utf8')) as FaultOrder
  let turn = -1
  const kernel: FaultyKernel = new FaultyKernel(parts.kernel, () => {
    const order = read()
    if (order.turn !== turn) kernel.requests = 1
    turn = order.turn
    if (order.at === 0 || order.fault === 'dies-unanswered') return null
    return (order.lasts ? from : onlyAt)(order.at, order.fault)(kernel.requests)
  })
  const journal: typeof parts.journal = {
    ...parts.journal,
    async end(holds) {
      await parts.journal.end(holds)
      if (read().fault === 'dies-unanswered') process.kill(process.pid, 'SIGKILL')
    },
  }
  await startHelper({ ...parts, kernel, journal, ...(await windowsOver(config, kernel, journal)) }, config, () => ({}))
  process.stderr.write('listening, with a fault\n')
}

void main()
