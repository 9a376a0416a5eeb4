// A local process that waits for connections or datagrams on a port of the host.
import { integer, line, strict, stringEnum, Type, type Static } from '../schema.ts'
import { IpText } from '../tunnel/model.ts'

/**
 * `address` 0.0.0.0 or :: is every one; `process` "" where it could not be found out. `is_sshd`: taking its port away
 * would lock the operator out.
 */
export const Listener = strict({
  protocol: stringEnum(['tcp', 'udp']),
  address: IpText,
  port: integer(1, 65_535),
  process: line(64),
  is_sshd: Type.Boolean(),
})
export type Listener = Static<typeof Listener>
