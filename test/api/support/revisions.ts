// Requests about revisions.
import assert from 'node:assert/strict'
import type {
  ListRevisionsAnswer,
  RestoreRevisionAnswer,
  RevisionDetail,
  RevisionDiffAnswer,
  RevisionView,
} from '@panel/shared/api/revisions.ts'
import type { Client, Reply } from './client.ts'

export const listRevisions = (client: Client, query = ''): Promise<Reply<ListRevisionsAnswer>> =>
  client.get(`/revisions${query}`)

export const getRevision = (client: Client, id: number): Promise<Reply<RevisionDetail>> =>
  client.get(`/revisions/${id}`)

export const diffRevision = (client: Client, id: number, to: string | number): Promise<Reply<RevisionDiffAnswer>> =>
  client.get(`/revisions/${id}/diff?to=${to}`)

export const restore = (client: Client, id: number, body: object = {}): Promise<Reply<RestoreRevisionAnswer>> =>
  client.post(`/revisions/${id}/restore`, body)

/** The newest. */
export async function lastRevision(client: Client): Promise<RevisionView> {
  const [last] = (await listRevisions(client)).body.revisions
  assert.ok(last, 'there is no revision')
  return last
}

/** What leads from a revision to now; empty where nothing does. */
export const differencesSince = async (client: Client, id: number): Promise<string[]> =>
  (await diffRevision(client, id, 'now')).body.items.map(({ kind, title, what }) => `${kind} ${title} ${what}`)
