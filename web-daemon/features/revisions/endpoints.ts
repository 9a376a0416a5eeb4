// The endpoints of the section Revisions.
import type { Heals } from '../../change/heal.ts'
import { command, query } from '../../platform/http/endpoint.ts'
import { backupOfRevision } from './backup.ts'
import { diffRevision } from './diff.ts'
import { getRevision, listRevisions, pinRevision } from './list.ts'
import { foreseeRestore, restoreRevision, type RestoreServices } from './restore.ts'

const tag = 'revisions'

export const revisionEndpoints = (heals: Heals, services: RestoreServices) => [
  query(
    'GET /revisions',
    { tag, summary: 'List what commands changed of what the panel is to do, the newest first.' },
    listRevisions,
  ),
  query('GET /revisions/{id}', { tag, summary: 'One revision, field by field.' }, getRevision),
  query(
    'GET /revisions/{id}/diff',
    { tag, summary: 'What differs from a revision: in another one, now, or on the host.' },
    diffRevision(heals),
  ),
  query(
    'GET /revisions/{id}/backup',
    { tag, summary: 'Everything as it was at a revision, as a backup.' },
    backupOfRevision,
  ),
  command(
    'POST /revisions/{id}/pin',
    { tag, summary: 'Keep a revision however many follow, or no longer.', audit: 'RevisionPin' },
    pinRevision,
  ),
  command(
    'POST /revisions/{id}/restore',
    {
      tag,
      summary:
        'Take everything, or some objects, to what they were at a revision: as one whole that is put back where a part fails. With dry_run only say what would be done.',
      statuses: [403, 409],
      audit: 'RevisionRestore',
      foresee: foreseeRestore(services),
    },
    restoreRevision(services),
  ),
]
