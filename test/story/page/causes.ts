// Why a relay of server A is down: what happens, what the page of the rule says then, and what takes it away.
import type { Running, Server } from '../../vm/lab/index.ts'

/** The public address of server A, and the port of the echo behind B. */
export const PUBLIC = '198.51.100.1'
export const ECHO_PORT = 9000

interface Ends {
  readonly near: () => Pick<Server, 'run'>
  readonly far: () => Pick<Server, 'run'>
  /** A client of the relay. */
  readonly connect: () => Running
}

export const causesBetween = ({ near, far, connect }: Ends) => [
  {
    title: 'a chain of other software that drops what it relays',
    happens: () =>
      near().run('nft', ['-f', '-'], {
        stdin: 'table inet theirs { chain bogus { type filter hook forward priority 0; policy drop;\n }\n}\n',
      }),
    words: /theirs.*bogus/,
    mends: () => near().run('nft', ['delete', 'table', 'inet', 'theirs']),
  },
  {
    title: 'an address that it listens on and this server lost',
    happens: () => near().run('ip', ['address', 'delete', `${PUBLIC}/24`, 'dev', 'eth1']),
    words: /198\.51\.100\.1 is on no interface/,
    mends: () => near().run('ip', ['address', 'add', `${PUBLIC}/24`, 'dev', 'eth1']),
  },
  {
    title: 'a destination that does not answer',
    happens: async () => {
      await far().run('nft', ['-f', '-'], {
        stdin: `table inet theirs { chain bogus { type filter hook input priority 0; tcp dport ${ECHO_PORT} drop\n }\n}\n`,
      })
      await connect().write('lost')
    },
    words: /none came back/,
    mends: () => far().run('nft', ['delete', 'table', 'inet', 'theirs']),
  },
]
