// Captures what iproute2 sends for the commands in iproute2-requests.json and writes the bytes there. Run as root: node test/unit/netlink/capture-requests.mjs
import { Buffer } from 'node:buffer'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { URL } from 'node:url'

const FILE = new URL('iproute2-requests.json', import.meta.url)
const RTM_NEWLINK = 16

/** The kernel need not know the kind: `ip` sends the request all the same, and strace shows it. */
function captured(command) {
  const { stderr } = spawnSync(
    'unshare',
    ['--net', 'strace', '-qq', '-e', 'trace=sendmsg', '-e', 'write=all', ...command.split(' ')],
    { encoding: 'utf8' },
  )
  const dumps = stderr
    .split(/^sendmsg.*$/m)
    .slice(1)
    .map((dump) =>
      Buffer.from(
        [...dump.matchAll(/^ \| [0-9a-f]{5} {2}([0-9a-f ]{48})/gm)].map((line) => line[1].replace(/ /g, '')).join(''),
        'hex',
      ),
    )
  const message = dumps.find((bytes) => bytes.length > 16 && bytes.readUInt16LE(4) === RTM_NEWLINK)
  if (!message) throw new Error(`${command} sent no RTM_NEWLINK: ${stderr}`)
  return message.toString('hex')
}

const requests = JSON.parse(readFileSync(FILE, 'utf8'))
for (const request of requests) request.bytes = captured(request.command)
writeFileSync(FILE, `${JSON.stringify(requests, null, 2)}\n`)
