// Whether a destination can be reached from this server.
export const REACH = {
  'reach.not_sent':
    'Nothing could be sent from this server ({error}): the source address is not one of its own or cannot reach that far, or a local firewall forbids it.',
  'reach.connected': 'A TCP connection was established, and closed at once.',
  'reach.answered': 'The datagram was answered.',
  'reach.port_closed': 'The host answers, and nothing listens on the port.',
  'reach.port_closed_udp': 'The host says that nothing listens on the port.',
  'reach.no_way':
    'The network reports that it cannot be reached ({error}): there is no route to it, or no host at the address.',
  'reach.silent':
    'No TCP connection was established within {seconds} s: the host is down, something on the path drops the packets, or its answers do not find their way back.',
  'reach.silent_udp':
    'No answer came within {seconds} s. That proves nothing: a service may take a datagram without answering it.',
} as const
