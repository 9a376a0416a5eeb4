// What a window costs a change, and how long its way back takes: rules in a network of this host, tunnels in the lab's
// machine.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whyNot } from '../../vm/lab/index.ts'
import { panels, SIZES } from '../relay/layouts.ts'
import { Stage } from '../relay/stage.ts'
import { layOut } from '../programs.ts'
import type { Section } from '../table.ts'
import { windowedRules } from './rules.ts'
import { windowedTunnels } from './tunnels.ts'

export async function windowsPart(tell: (section: Section) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-bench-'))
  const stage = await Stage.open()
  try {
    const programs = await layOut(folder)
    const { panels: made } = await panels(stage, folder, programs)
    for (const count of SIZES) {
      console.error(`windows: ${count} rules`)
      tell(await windowedRules(made.get(count)?.socket ?? '', count))
    }
    const reason = await whyNot()
    if (reason === undefined) tell(await windowedTunnels(programs))
    else console.error(`windows: tunnels skipped: ${reason}`)
  } finally {
    await stage.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
