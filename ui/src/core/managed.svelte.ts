// The locked file that manages an object, which then cannot be changed on the page.
import type { RevisionKind } from '@panel/shared/api/revisions.ts'
import { createQuery, endpoint } from './query.svelte.ts'

export interface Managed {
  /** The name of the file, or null. */
  readonly file: string | null
}

/** Call in a component's script. */
export const createManaged = (kind: RevisionKind, target_key: () => string | number): Managed => {
  const query = createQuery(() => endpoint('GET /desired', { query: { kind, target_key: String(target_key()) } }))
  return {
    get file() {
      return query.data?.files.find(({ is_locked }) => is_locked)?.name ?? null
    },
  }
}
