// A file that says it all, at the size that it is to be planned in a second: the shipped daemons on this host's kernel.
import { join } from 'node:path'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { insertTunnel } from '@panel/web-daemon/features/tunnels/store.ts'
import { seedAccount } from '../driver/account.ts'
import { NUMBERS, tunnelOf } from '../driver/rows.ts'
import { driven, type Programs } from '../programs.ts'
import { timed, type Section } from '../table.ts'
import { Panel, WEB_URL } from './panel.ts'
import type { Stage } from './stage.ts'

const RULES = 1000
/** They stand in the store alone: what a rule costs grows with them, and this kernel may have no GRE. */
const TUNNELS = 100
const ENDS = { local_endpoint: '192.0.2.1', remote_endpoint: '192.0.2.2' }
const PLANNED = { says: '< 1000 ms', below_ms: 1000 }

export async function desiredSection(stage: Stage, folder: string, programs: Programs): Promise<Section> {
  const relay = await stage.relay()
  const panel = new Panel(relay, join(folder, 'panel'), programs)
  await panel.startHelper()
  const db = await openStore(panel.store)
  await seedAccount(db)
  for (const number of NUMBERS(TUNNELS)) await insertTunnel(db, tunnelOf(number, ENDS))
  await db.destroy()
  await panel.startWeb()
  const took = await driven(programs, relay.network, 'desired', {
    url: WEB_URL,
    bind_address: relay.address,
    count: RULES,
    tunnels: TUNNELS,
  })
  return {
    title: `desired: a file of ${RULES.toLocaleString('en')} rules, on a panel with ${TUNNELS} tunnels`,
    rows: [
      timed(`GET /routes?limit=${RULES}`, took.list),
      timed('planned where nothing of it is there', took.plan, took.list, PLANNED),
      timed('applied as one whole, each rule verified', took.apply, took.list),
      timed('planned where all of it is there', took.plan_again, took.list, PLANNED),
      timed('applied where all of it is there', took.apply_again, took.list, PLANNED),
    ],
  }
}
