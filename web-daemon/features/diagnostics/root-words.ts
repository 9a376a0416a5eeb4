// What root says of a packet, as far as the analysis goes by it: the very words of its sentences.
import { ROOT } from '@panel/shared/messages/root.ts'

const behind = (id: 'root.unsent_dropped' | 'root.no_such_tunnel'): string => ROOT[id].replace(/^\{\w+\}: /, '')

/** In the detail of a packet that this server's own firewall did not let out. */
export const DROPPED_HERE = behind('root.unsent_dropped')

/** And of one that the other server refused to take out of its GRE packet. */
export const NO_SUCH_TUNNEL = behind('root.no_such_tunnel')
