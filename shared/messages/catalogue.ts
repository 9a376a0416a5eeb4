// Every sentence of the panel that leaves a daemon, by its id (shared/messages/README.md).
import { ADOPT } from './adopt.ts'
import { ATTENTION } from './attention.ts'
import { COMPONENT } from './component.ts'
import { DIAGNOSTICS } from './diagnostics.ts'
import { FINDING } from './finding.ts'
import { FORWARDING } from './forwarding.ts'
import { HEALTH } from './health.ts'
import { INPUT } from './input.ts'
import { MONITOR } from './monitor.ts'
import { PANEL } from './panel.ts'
import { POOL } from './pool.ts'
import { ROOT } from './root.ts'
import { ROUTE } from './route.ts'
import { STEP } from './step.ts'
import { TUNNEL } from './tunnel.ts'

export const CATALOGUE = {
  ...ADOPT,
  ...ATTENTION,
  ...COMPONENT,
  ...DIAGNOSTICS,
  ...FINDING,
  ...FORWARDING,
  ...HEALTH,
  ...INPUT,
  ...MONITOR,
  ...PANEL,
  ...POOL,
  ...ROOT,
  ...ROUTE,
  ...STEP,
  ...TUNNEL,
} as const
