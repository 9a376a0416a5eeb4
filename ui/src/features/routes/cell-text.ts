// Ports and a destination as they are typed into one cell of the list; pure, for tests.
import type { DestinationValues, RouteValues } from './draft.ts'
import { formatEndpoint } from './formats.ts'

type Ports = Pick<RouteValues, 'bind_port' | 'bind_port_range_end'>
type Target = Pick<DestinationValues, 'address' | 'port' | 'port_range_end'>

const PORTS = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/
/** An IPv6 address needs brackets before a port. */
const TARGET = /^(?:\[([^\]\s]+)\]|([^\s:[\]]+))(?::(\d{1,5})(?:-(\d{1,5}))?)?$/
const BARE_IPV6 = /^[\da-f]*:[\da-f:.]*:[\da-f:.]*$/i

const number = (text: string | undefined): number | null => (text === undefined ? null : Number(text))

export const formatPorts = ({ bind_port, bind_port_range_end }: Ports): string =>
  [bind_port, bind_port_range_end].filter((port) => port !== null).join('-')

/** Null if the text is neither a port nor a range of ports. */
export function parsePorts(text: string): Ports | null {
  const found = PORTS.exec(text.trim())
  return found && { bind_port: Number(found[1]), bind_port_range_end: number(found[2]) }
}

export const formatTarget = ({ address, port, port_range_end }: Target): string =>
  port === null ? address : formatEndpoint(address, port, port_range_end)

/** Null if the text is no address or name, with or without ports; without, they are those that the rule listens on. */
export function parseTarget(text: string): Target | null {
  const whole = text.trim()
  if (BARE_IPV6.test(whole)) return { address: whole, port: null, port_range_end: null }
  const found = TARGET.exec(whole)
  return found && { address: found[1] ?? found[2] ?? '', port: number(found[3]), port_range_end: number(found[4]) }
}
