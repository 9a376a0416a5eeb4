// Importing a backup.
export const BACKUP = {
  'backup.under_way': 'Another import is under way. Wait for it to end.',
  'backup.confirm': 'This setting guards the panel. Import it together with your current password, or leave it out.',
  'backup.dry': 'Nothing was changed. Beside each item that would be refused now stands why.',
  'backup.done':
    'What failed is listed with its reason; everything else is in place. Importing the same backup again does what is left and skips the rest.',
  'backup.taken_back': 'An item failed, so everything was put back: nothing is changed.',
  'backup.kept_meanwhile':
    'Somebody confirmed on the server what was imported before the import had ended, so it cannot be put back: compare with the backup, and import again.',
  'backup.stuck':
    'An item failed, and what was imported before it could not be put back yet. It is tried again: {detail}',
  'backup.no_rules': 'The backup holds no relay rules, so none are brought back.',
  'backup.holds':
    'Holds settings, address pools, tunnels, networks and relay rules as they are meant to be. Accounts, passwords, sessions, API tokens, notification targets, the kept address of the panel with its certificate, and the signing key are not in it. Ids have a meaning within this backup only.',
  'backup.rules_left_out': 'Relay rules were left out of this export: importing it brings none back.',
  'backup.unknown_member': 'A backup of version {version} has no {name}.',
  'backup.no_version': 'The backup does not say which version it is. It reads version {known}.',
  'backup.other_version': 'This build does not understand a backup of version {version}. It reads version {known}.',
  'backup.list': '{path} must be a list.',
  'backup.list_too_long': '{path} must be a list of at most {most}, and has {count}.',
  'backup.object': '{path} must be an object.',
  'backup.too_large': '{path} is too large, or too deep.',
  'backup.setting_twice': '{name} is in the backup twice.',
  'backup.not_tried': 'It was not tried, since the root helper did not answer for those before it.',
  'backup.pool_missing': "The backup's pool {pool_id} is not on this server.",
  'backup.pool_missing_no_addresses':
    "The backup's pool {pool_id} is not on this server, and the tunnel has no addresses of its own.",
  'backup.tunnel_same_name': 'A tunnel of this name is here, and is left as it is.',
  'backup.tunnel_same_ends': '{tunnel} is here with the same endpoints and key, and is left as it is.',
  'backup.tunnel_no_pool': 'Its pool is not on this server: it keeps its addresses and belongs to no pool.',
  'backup.rule_same_name': 'A rule of this name is here, and is left as it is.',
  'backup.rule_no_tunnel': 'The tunnel that it relays over is not on this server: the rule names none.',
  'backup.network_same': 'A network of this title or to this destination is here, and is left as it is.',
  'backup.network_fewer_paths': 'Tunnels of some of its paths are not on this server: it goes without them.',
  'backup.network_no_tunnel': 'None of the tunnels of its paths is on this server.',
  'backup.pool_same': 'A pool of this range is here, and is as in the backup.',
  'backup.pool_changed': 'A pool of this range is here: it is made as in the backup.',
  'backup.passphrase':
    '{field} must be {min} to {max} letters, digits, blanks and signs of ASCII, with at least {variety} different ones and no blank at either end.',
  'backup.elsewhere_no_passphrase': 'No encrypted backup can be made yet. Set a passphrase on the Backup page.',
  'backup.elsewhere_unreadable':
    'The passphrase of backups cannot be read, because it was stored under another signing key of the panel. Set it again on the Backup page.',
  'backup.elsewhere_nowhere':
    'There is nowhere to put a backup. Turn on the backup directory, or let an email or JSON target of notifications take backups.',
  'backup.elsewhere_directory':
    'The backup could not be written to {directory}: {error, select, ENOENT {it does not exist. Mount or create it} EACCES {the panel may not write there. Give it to the user tunnel-panel, and name it in ReadWritePaths= of the unit} EROFS {it is read-only. If it is not meant to be, name it in ReadWritePaths= of the unit} ENOSPC {the disk is full. Make room, or keep fewer backups} EDQUOT {the quota is used up. Make room, or keep fewer backups} ETIMEDOUT {it does not answer, as a share does whose server is gone. Check the server and the mount} HANGING {an earlier attempt still waits for it, so no other was begun. Bring the server of the share back, or unmount the share with umount -f} other {{error}}}.',
  'backup.elsewhere_target': '{title} did not take what was last sent there, and it is to take backups. {reason}',
  'backup.elsewhere_done': 'The backup was made.',
  'backup.file_form': '{field} must be the whole text of an encrypted backup of format 1.',
  'backup.file_cut': '{field} is incomplete: {found} of {expected} bytes are there. Take another copy of the backup.',
  'backup.file_not_opened':
    '{field} does not open this file: it is another one, or the file was changed after it was made.',
} as const
