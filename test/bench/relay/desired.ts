// A file that says it all, at the size that it is to be planned in a second: the shipped daemons on this host's kernel.
import { join } from 'node:path'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { seedAccount } from '../driver/account.ts'
import { driven, type Programs } from '../programs.ts'
import { timed, type Section } from '../table.ts'
import { Panel, WEB_URL } from './panel.ts'
import type { Stage } from './stage.ts'

const RULES = 1000
const PLANNED = { says: '< 1000 ms', below_ms: 1000 }

export async function desiredSection(stage: Stage, folder: string, programs: Programs): Promise<Section> {
  const relay = await stage.relay()
  const panel = new Panel(relay, join(folder, 'panel'), programs)
  await panel.startHelper()
  const db = await openStore(panel.store)
  await seedAccount(db)
  await db.destroy()
  await panel.startWeb()
  const between = { address: relay.address, server: relay.server }
  const took = await driven(programs, relay.network, 'desired', { url: WEB_URL, between, count: RULES })
  return {
    title: `desired: a file of ${RULES.toLocaleString('en')} rules`,
    rows: [
      timed(`GET /routes?limit=${RULES}`, took.list),
      timed('planned where nothing of it is there', took.plan, took.list, PLANNED),
      timed('applied as one whole, each rule verified', took.apply, took.list),
      timed('planned where all of it is there', took.plan_again, took.list, PLANNED),
      timed('applied where all of it is there', took.apply_again, took.list, PLANNED),
    ],
  }
}
