// Every sentence of the panel that leaves a daemon, by its id (shared/messages/README.md).
import { INPUT } from './input.ts'
import { ROUTE } from './route.ts'
import { STEP } from './step.ts'
import { TUNNEL } from './tunnel.ts'

export const CATALOGUE = {
  ...INPUT,
  ...ROUTE,
  ...STEP,
  ...TUNNEL,
} as const
