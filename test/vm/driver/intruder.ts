// Runs in a daemon's place, in that daemon's own sandbox, and reports what came of each attempt, as JSON.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { attempts, type Powers } from './attempts.ts'

const load = createRequire(import.meta.url)
const library = join(__dirname, 'panel.node')
const powers = {
  panel: load(library),
  system: load(join(__dirname, 'system-calls.node')),
} as Powers
const [, , whose = '', othersFolder = '', othersProcess = '', disk = ''] = process.argv

/** The web daemon forbids programs before it listens. */
if (whose === 'web') (load('/usr/lib/tunnel-panel/service.node') as { forbidPrograms(): void }).forbidPrograms()

const place = {
  own: process.env['STATE_DIRECTORY'] ?? '/var/tmp',
  ...{ othersFolder, othersProcess: Number(othersProcess), disk, library },
}
const reported = Object.entries(attempts(powers, place)).map(([name, attempt]) => {
  try {
    attempt()
    return [name, 'works']
  } catch (refusal) {
    return [name, (refusal as NodeJS.ErrnoException).code ?? String(refusal)]
  }
})
process.stdout.write(`${JSON.stringify(Object.fromEntries(reported))}\n`)
