// The settings of the category backup: encrypted backups that the panel makes by itself (decisions.md, B10).
import { bool, int, oneOf } from '../kinds.ts'

export const BACKUP = {
  'backup.interval': oneOf(
    ['off', 'daily', 'weekly'],
    'off',
    'How often the panel makes an encrypted backup by itself, if anything has changed since the last one. Set a passphrase on the Backup page first.',
  ),
  'backup.to_directory': bool(
    true,
    'Whether those backups are written to the backup directory of the server. Turn it off where notification targets alone get them.',
  ),
  'backup.kept': int(
    14,
    { min: 1, max: 1000 },
    'How many encrypted backups are kept in the directory. Older ones of this server are deleted, and no other files.',
  ),
}
