// Whether a destination can be reached from this server.
export const REACH = {
  'reach.not_sent':
    'Nothing could be sent from this server ({error}): the source address is not one of its own or cannot reach that far, or a local firewall forbids it.',
  'reach.connected': 'A TCP connection came about, and was closed at once.',
  'reach.answered': 'An answer came to the datagram.',
  'reach.port_closed': 'The host answers, and nothing listens on the port.',
  'reach.port_closed_udp': 'The host says that nothing listens on the port.',
  'reach.no_way':
    'The network says that it cannot be reached ({error}): there is no way there, or no host at the address.',
  'reach.silent':
    'No TCP connection came about within {seconds} s: the host is down, something on the way drops the packets, or its answers do not find back.',
  'reach.silent_udp':
    'No answer came within {seconds} s, which proves nothing: a service may well take a datagram and say nothing to it.',
} as const
