// Every sentence of the panel that leaves a daemon, by its id (shared/messages/README.md).
import { ADOPT } from './adopt.ts'
import { ATTENTION } from './attention.ts'
import { BACKUP } from './backup.ts'
import { CHECK } from './check.ts'
import { COMPONENT } from './component.ts'
import { DESIRED } from './desired.ts'
import { DIAGNOSTICS } from './diagnostics.ts'
import { DRIFT } from './drift.ts'
import { FAR_END } from './far-end.ts'
import { FINDING } from './finding.ts'
import { FORWARDING } from './forwarding.ts'
import { HEAL } from './heal.ts'
import { HEALTH } from './health.ts'
import { IMPACT } from './impact.ts'
import { INPUT } from './input.ts'
import { LIMITS } from './limits.ts'
import { LISTENER } from './listener.ts'
import { MONITOR } from './monitor.ts'
import { NETWORK } from './network.ts'
import { NOTE } from './note.ts'
import { NOTICE } from './notice.ts'
import { OBJECT } from './object.ts'
import { PAIRING } from './pairing.ts'
import { PANEL } from './panel.ts'
import { POOL } from './pool.ts'
import { REACH } from './reach.ts'
import { REVISION } from './revision.ts'
import { ROOT } from './root.ts'
import { ROUTE } from './route.ts'
import { SAFE_APPLY } from './safe-apply.ts'
import { SETTING } from './setting.ts'
import { STEP } from './step.ts'
import { TUNNEL } from './tunnel.ts'

export const CATALOGUE = {
  ...ADOPT,
  ...ATTENTION,
  ...BACKUP,
  ...CHECK,
  ...COMPONENT,
  ...DESIRED,
  ...DIAGNOSTICS,
  ...DRIFT,
  ...FAR_END,
  ...FINDING,
  ...FORWARDING,
  ...HEAL,
  ...HEALTH,
  ...IMPACT,
  ...INPUT,
  ...LIMITS,
  ...LISTENER,
  ...MONITOR,
  ...NETWORK,
  ...NOTE,
  ...NOTICE,
  ...OBJECT,
  ...PAIRING,
  ...PANEL,
  ...POOL,
  ...REACH,
  ...REVISION,
  ...ROOT,
  ...ROUTE,
  ...SAFE_APPLY,
  ...SETTING,
  ...STEP,
  ...TUNNEL,
} as const
