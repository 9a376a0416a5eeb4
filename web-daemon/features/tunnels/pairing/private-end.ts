// The warning about an end that has a private address while the other one is public: a cloud translates it (1:1 NAT),
// and the far end can only reach the address that it shows outside.
import { parseIp } from '@panel/shared/address/ip.ts'
import { isPrivate } from '@panel/shared/address/special.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { PairingContent } from './content.ts'

type Ends = Pick<PairingContent, 'local' | 'remote'>

const isHidden = ({ local, remote }: Ends): boolean => {
  const [here, there] = [parseIp(local), parseIp(remote)]
  return here !== null && there !== null && isPrivate(here) && !isPrivate(there)
}

/** For the server that makes the code. */
export const privateHere = ({ local, remote }: Ends): Warning[] =>
  isHidden({ local, remote })
    ? [
        {
          code: 'PRIVATE_ENDPOINT',
          ...message('pairing.private_here', { address: local, other: remote }),
          field: 'local_endpoint',
        },
      ]
    : []

/** For the server that reads it: the other end is the remote one here. */
export const privateThere = ({ local, remote }: Ends): Warning[] =>
  isHidden({ local, remote })
    ? [
        {
          code: 'PRIVATE_ENDPOINT',
          ...message('pairing.private_there', { address: local, other: remote }),
          field: 'remote_endpoint',
        },
      ]
    : []
