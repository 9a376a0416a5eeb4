// Why something needs the operator: what the background found when it compared the host with what is stored, and what
// is wrong with the host itself.
export const ATTENTION = {
  'attention.no_incident': 'There is no incident {incident}.',
  'attention.incident_over': 'This incident is over.',
  'attention.silence_past': 'A silence has to end in the future.',
  'attention.silence_long': 'A silence lasts {days, number} days at most.',
  'attention.missing': 'The interface {name} is missing on this server',
  'attention.drifted': '{name} differs from what is stored: {fields}',
  'attention.inconsistent': 'The last change of {name} could not be undone',
  'attention.certificate_expired':
    'The certificate expired on {at}: browsers warn of it. Renew it; the panel takes the new files as soon as they are there',
  'attention.certificate_early':
    'The certificate is not valid before {at}: browsers warn of it. Is the clock of this server right?',
  'attention.certificate_key_open':
    'Every user of this server can read the key of the certificate. Take that away (chmod o-rwx), and have a new certificate made with a new key',
  'attention.certificate_soon': 'The certificate expires on {at}, and nobody has renewed it yet',
  'attention.certificate_unusable':
    'The files of the certificate have changed and cannot be used, so the previous one stays in use, until {at}. {detail}',
  'attention.of_certificate': 'the certificate',
  'attention.of_key': 'the key',
  'attention.file_absent': 'The file of {file} does not exist.',
  'attention.file_forbidden':
    'The file of {file} cannot be read by the user that the web daemon runs as; give it the right to (a copy of its own, or a group).',
  'attention.file_folder': 'The file of {file} is a folder.',
  'attention.file_unreadable': 'The file of {file} cannot be read ({error}).',
  'attention.cert_unreadable': 'The file of the certificate does not begin with one in PEM form, or is not complete.',
  'attention.key_unreadable': 'The file of the key holds no private key in PEM form, or is not complete.',
  'attention.key_encrypted':
    'The key is protected by a passphrase, which nobody is there to type. Write it without one, readable by the web daemon alone.',
  'attention.key_of_another':
    "The key is not that of the first certificate in the certificate's file: the server's own comes first there, those of its issuers after it.",
  'attention.pair_unusable': 'The certificate and its key cannot be used: {error}.',
  'attention.disk_full': 'The disk at {mount_point} is {percent, number} % full. Make room on it',
  'attention.helper_away':
    'The root helper cannot be reached: nothing on the server can be read or changed, but existing relays go on. Start it: systemctl start tunnel-panel-helper',
} as const
