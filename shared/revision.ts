// What an answer is known by, so that what has not changed since is not sent again.
import { Type } from './schema.ts'

/** Stands for one answer of one helper: no other has it. */
export const Revision = Type.String({ pattern: '^[0-9a-f]{32}$' })
