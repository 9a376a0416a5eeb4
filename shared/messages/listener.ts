// Listeners: what is wrong with a requested one, and the state of those there are.
export const LISTENER = {
  'listener.address': '{field} must be an IP address of this server, or 0.0.0.0 or :: for all of them.',
  'listener.tls': '{field} must be a certificate (cert) and its key (key), both in PEM form.',
  'listener.tls_required':
    'Without TLS a password would cross the network in the clear. Give a certificate and its key, or choose a loopback or private address; force is for a server whose proxy in front of the panel has TLS.',
  'listener.cert_unreadable':
    "{field} must be in PEM form: the server's own certificate first, those of its issuers after it.",
  'listener.cert_expired': 'This certificate expired on {at}. Give one that is still good.',
  'listener.key_unreadable': '{field} must be in PEM form, from BEGIN PRIVATE KEY to END PRIVATE KEY.',
  'listener.key_encrypted':
    'This key is protected by a passphrase, which nobody is there to type. Give it without one.',
  'listener.key_of_another':
    "This key is not that of the first certificate: the server's own certificate comes first, those of its issuers after it.",
  'listener.rule_on_port':
    'Port {port} belongs to the relay rule {rule}, which would take all that comes to it. Choose another port, or change the rule first.',
  'listener.under_way':
    'Another listener is on trial already, at {address} port {port}. Keep that one or end it first.',
  'listener.other_connection':
    'This request did not come through the listener at {address} port {port}, so it does not prove that anybody can reach that one. Open the panel there and keep it from there.',
  'listener.earlier_connection':
    'This connection was made before the new certificate was shown at {address} port {port}, so it does not prove that anybody can reach the panel with it. Keep it over a new connection.',
  'listener.only_way':
    'The panel would be left without its kept listener while no configured one is open. Try another listener and keep that: this one closes then. On the server itself, tunnel-panel set-listen does it.',
  'listener.own_in_use':
    'The panel itself listens on port {port} there already. Choose another port. To change the address, or between HTTP and HTTPS, under the same port, keep a listener on another port first and come back to this one from there.',
  'listener.in_use': 'Something on this server listens at {address} port {port} already. Choose another port.',
  'listener.no_such_address':
    'No interface of this server has the address {address}. Choose one that it has, or 0.0.0.0 or :: for all of them.',
  'listener.port_forbidden':
    'The panel runs without privileges and has no right to port {port}. Choose one from 1024 on; for a port below 1024, such as 443, put a web server in front of the panel.',
  'listener.failed': 'The panel cannot listen at {address} port {port} ({errno}). Choose another address or port.',
  'listener.kept': 'The panel listens at {address} port {port}, where the operator has kept it',
  'listener.fallback':
    'The panel cannot listen at {address} port {port}, where the operator has kept it ({errno}), so it listens at {configured} port {configured_port} as it is configured. It tries again every few seconds',
  'listener.key_unreadable_stored':
    'The panel cannot listen at {address} port {port}, where the operator has kept it: the key of its certificate cannot be read, because it was stored under another signing key of the panel. It listens at {configured} port {configured_port} as it is configured. Try a listener there with the certificate and its key again and keep it',
  'listener.certificate_ends':
    'The certificate of the listener at {address} port {port} ends on {at}. Try a listener with a new one and keep it',
} as const
