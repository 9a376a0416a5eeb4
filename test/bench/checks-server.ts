// Answers checks on every address of loopback, as a process of its own, until it is ended.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((_request, response) => response.end())
server.listen(0, '0.0.0.0', 4096, () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
