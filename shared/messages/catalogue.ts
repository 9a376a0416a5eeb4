// Every sentence of the panel that leaves a daemon, by its id (shared/messages/README.md).
import { INPUT } from './input.ts'

export const CATALOGUE = {
  ...INPUT,
} as const
