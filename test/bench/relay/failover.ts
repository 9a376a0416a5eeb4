// What it takes to lead new connections past a destination: a rotation among many rules, and from a failure to it.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { layOut } from '../programs.ts'
import type { Section } from '../table.ts'
import { backupSections } from './failover-backup.ts'
import { rangeSection, rotationSection } from './failover-rotation.ts'
import { Panel } from './panel.ts'
import { Stage } from './stage.ts'

const SIZES = [100, 10_000] as const

export async function failoverPart(tell: (section: Section) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-bench-'))
  // mkdtemp keeps its folder to its maker, and the web daemon is another user.
  chmodSync(folder, 0o711)
  const stage = await Stage.open()
  try {
    const programs = await layOut(folder)
    const panelIn = async (name: string): Promise<Panel> => {
      const own = join(folder, name)
      mkdirSync(own)
      return new Panel(await stage.relay(), own, programs)
    }
    for (const count of SIZES) {
      console.error(`failover: a rotation among ${count} rules`)
      tell(await rotationSection(await panelIn(`${count}`), await stage.relay(), count))
    }
    console.error('failover: a rotation of a range')
    tell(await rangeSection(await panelIn('range')))
    console.error('failover: a destination that fails')
    for (const section of await backupSections(stage, await panelIn('backup'), programs)) tell(section)
  } finally {
    await stage.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
