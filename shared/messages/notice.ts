// Notifications: what they say, what is wrong with a target, and what became of a delivery.
export const NOTICE = {
  'notice.tunnel_problem':
    'Tunnel {name} {state, select, Down {is down} Degraded {is degraded} other {is in an unknown state}}. {reason}',
  'notice.tunnel_resolved': 'Tunnel {name} is up again.',
  'notice.drift_problem':
    'The host does not hold tunnel {name} as it is stored: it {state, select, Missing {is missing} Inconsistent {was left half changed} other {was changed}}.',
  'notice.drift_resolved': 'The host holds tunnel {name} as it is stored again.',
  'notice.route_problem':
    'Relay rule {title} {state, select, down {relays nothing} failed {is not in force} inconsistent {was left half changed} other {is degraded}}. {reason}',
  'notice.routes_problem':
    '{count} relay rules {state, select, down {relay nothing} failed {are not in force} inconsistent {were left half changed} other {are degraded}}: {rules}. {reason}',
  'notice.routes_resolved': '{count} relay rules work again: {rules}.',
  'notice.names_and_more': '{names} and {count} more',
  'notice.route_resolved': 'Relay rule {title} works again.',
  'notice.destination_problem': 'Destination {destination} of relay rule {title} is down. {reason}',
  'notice.destination_resolved': 'Destination {destination} of relay rule {title} is up again.',
  'notice.contested':
    'Other software keeps taking away or changing {what, select, tunnel {the tunnel} other {the relay rule}} {name}. {reason}',
  'notice.safe_apply_ended':
    '{how, select, confirmed {The changes were confirmed and stay.} cancelled {The changes were cancelled and taken back.} other {Nobody confirmed the changes in time, so they were taken back.}}',
  'notice.sign_in_failed':
    '{count, plural, one {# sign-in} other {# sign-ins}} failed within {minutes, number} minutes, the last one from {address}.',
  'notice.sign_in_new_network': '{username} signed in from {address}. Nobody has signed in from there within 30 days.',
  'notice.host_resolved':
    'No longer a problem: {what, select, network {the network {name}} certificate {the certificate} disk {the disk at {name}} backup {automatic backups} other {the root helper}}.',
  'notice.backup':
    'The encrypted backup {name} is attached. Keep its passphrase apart from it: the first lines of the file say how it is opened.',
  'notice.no_file':
    '{field} cannot have backups: a target of the kind {kind} takes no file. Choose email or JSON for them.',
  'notice.test': 'This is a test. Notifications of this panel arrive here.',
  'notice.title_problem': '{server}: problem',
  'notice.title_resolved': '{server}: resolved',
  'notice.title_info': '{server}: notice',
  'notice.title_of': '{title}: {name}',
  'notice.not_found': 'There is no notification target {webhook_id}.',
  'notice.needed': '{field} is needed for a target of the kind {kind}.',
  'notice.url_https':
    '{field} must begin with https://; http:// is taken only while targets inside the networks of this server are.',
  'notice.url_form': '{field} must be an address such as {example}, without a name and a password in it.',
  'notice.secret_form': '{field} must begin with whsec_ and hold at least 24 bytes in Base64.',
  'notice.secret_again':
    '{field} must be given again, because the address has another scheme, host or port: the stored one stays with the receiver that it was given for.',
  'notice.unreadable':
    'The address and the secret of this target cannot be read, because they were stored under another signing key of the panel. Enter them again.',
  'notice.unreadable_field':
    '{field} must be given again: the stored one cannot be read, because it was stored under another signing key of the panel.',
  'notice.private':
    '{host} is inside the networks of this server. Allow that with webhooks.allow_private, if it is meant.',
  'notice.unresolved': 'The name {host} cannot be resolved: {error}.',
  'notice.timeout': 'The receiver did not answer within {seconds, number} seconds.',
  'notice.status': 'The receiver answered {status}.',
  'notice.redirect': 'The receiver redirects to another host, or more than once.',
  'notice.unreachable': 'The receiver cannot be reached: {error}.',
  'notice.certificate_untrusted': 'The certificate of the receiver is not trusted: {error}.',
  'notice.certificate_name': 'The certificate of the receiver is not valid for {host}.',
  'notice.no_starttls': 'The receiver does not offer STARTTLS. The mail was not sent, since it would not be encrypted.',
  'notice.delivered': 'The receiver has taken it.',
} as const
