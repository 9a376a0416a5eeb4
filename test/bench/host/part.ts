// The list of a thousand tunnels on this host's own kernel, where links of another kind stand in for GRE.
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import { listSection, memorySection, reconcileSection } from '../sections.ts'
import type { Section } from '../table.ts'
import { COUNT, onStage, type Bench } from './stage.ts'

const ROUNDS = { warm_up: 10, rounds: 30, budget_ms: 60_000 }
const AIM = { of_reference: 0.6 }
const RECONCILE_AIM = { of_reference: 1 }

export async function hostPart(tell: (section: Section) => void): Promise<void> {
  await onStage('helper', (bench) => list(bench, tell))
  await onStage('stand-in', (bench) => reconcile(bench, tell))
}

async function list(bench: Bench, tell: (section: Section) => void): Promise<void> {
  await bench.makeLinks()
  await bench.seed(PERSISTENCE_TYPES.Runtime)
  await bench.startDaemons()
  const job = { panel: bench.panel, count: COUNT, rounds: ROUNDS, shown: { link: false, unit: false } }
  const title = `host: ${COUNT} tunnels listed, vxlan links standing in`
  tell(listSection(`${title}, kept by nothing`, await bench.drive('list', job), AIM))
  bench.writeUnits()
  const units = await bench.drive('list', { ...job, shown: { link: false, unit: true } })
  tell(listSection(`${title}, each kept by a systemd unit`, units, AIM))
  tell(memorySection('host: the most memory that the daemons held meanwhile', units.memory))
}

async function reconcile(bench: Bench, tell: (section: Section) => void): Promise<void> {
  await bench.makeLinks()
  await bench.seed(PERSISTENCE_TYPES.Systemd)
  // All as it should be when the daemons first look.
  bench.writeUnits()
  await bench.startDaemons()
  tell(
    reconcileSection(
      `host: ${COUNT} tunnels compared with what is stored, vxlan links shown as GRE, each kept by a systemd unit`,
      await bench.drive('reconcile', { panel: bench.panel, count: COUNT, rounds: ROUNDS }),
      RECONCILE_AIM,
    ),
  )
}
