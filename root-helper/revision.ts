// What an answer is known by (shared/revision.ts).
import { randomBytes } from 'node:crypto'

export const newRevision = (): string => randomBytes(16).toString('hex')
