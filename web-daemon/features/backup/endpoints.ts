// The endpoints of the section Backup.
import { BackupDocument, ImportBackupAnswer, ImportBackupBody } from '@panel/shared/api/backup.ts'
import { command, query } from '../../platform/http/endpoint.ts'
import { flagParameter, queryParameters } from '../../platform/http/queries.ts'
import { exportBackup } from './export.ts'
import { foreseeImport, importBackup, type BackupServices } from './import.ts'

const tag = 'backup'
/** decisions.md, W9. */
const LIMIT_BYTES = 8 * 1024 * 1024

export function backupEndpoints(services: BackupServices) {
  return [
    query(
      'GET /backup/export',
      {
        tag,
        summary: 'Settings, pools, tunnels and relay rules as one document, without any secret of the panel.',
        query: queryParameters({ include_routes: flagParameter('Whether relay rules are in it. Default true.') }),
        answer: BackupDocument,
      },
      exportBackup,
    ),
    command(
      'POST /backup/import',
      {
        tag,
        summary:
          'Bring back what a backup holds: each item by the way that it is made by otherwise, and told how it ended. With dry_run only told what would be done.',
        answer: ImportBackupAnswer,
        body: ImportBackupBody,
        body_limit_bytes: LIMIT_BYTES,
        gathersProblems: true,
        audit: 'BackupImport',
        foresee: foreseeImport(services),
        isCreating: true,
      },
      importBackup(services),
    ),
  ]
}
