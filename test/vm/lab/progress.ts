// What the lab says on stderr: which slow step runs and how long the one before took, and how a machine crashed.
import { appendFileSync } from 'node:fs'

export async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  process.stderr.write(`lab: ${what} ...\n`)
  const result = await work()
  process.stderr.write(`lab: ${what}: ${((performance.now() - began) / 1000).toFixed(1)} s\n`)
  return result
}

/** For the log, and for the runner of the tests, which names a file to add it to. */
export function reportCrash(console: string): void {
  const report = `lab: the machine ended by itself; the end of its console:\n${console}\n`
  process.stderr.write(report)
  const file = process.env['PANEL_LAB_CRASHES']
  if (file !== undefined) appendFileSync(file, report)
}
