// Runs in the machine: the operator's first minute with the panel. Writes what came of it on one line.
const { execFileSync } = require('node:child_process')

const API = 'http://127.0.0.1:8480/api/v1'
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

let headers = { 'Content-Type': 'application/json' }
const send = async (method, path, body) => {
  const reply = await fetch(API + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: reply.status, cookies: reply.headers.getSetCookie(), body: await reply.json() }
}

/** While the daemons start. */
const ready = async () => {
  for (let left = 600; left > 0; left -= 1) {
    const health = await send('GET', '/system/health').catch(() => null)
    if (health?.body.components.every(({ status }) => status === 'ok')) return health.body
    await pause(500)
  }
  throw new Error('the daemons are not ready')
}

const main = async () => {
  const health = await ready()
  const setup = await send('POST', '/auth/setup', { username: 'operator', password: 'a long password' })
  const cookies = setup.cookies.map((cookie) => cookie.split(';')[0])
  const csrf = cookies.find((cookie) => cookie.startsWith('panel_csrf=')).split('=')[1]
  headers = { ...headers, Cookie: cookies.join('; '), 'X-CSRF-Token': csrf }
  const tunnel = await send('POST', '/tunnels', { local_endpoint: '192.0.2.1', remote_endpoint: '192.0.2.2' })
  const rule = await send('POST', '/routes', {
    bind_port: 4000,
    destination_address: '192.0.2.9',
    destination_port: 80,
  })
  const reconcile = await send('GET', '/reconcile')
  return {
    arch: process.arch,
    health: health.status,
    setup: setup.status,
    tunnel: tunnel.status,
    rule: rule.status,
    tunnels: reconcile.body.items.map(({ interface_name, status }) => `${interface_name} ${status}`),
    rules: reconcile.body.routes.map(({ status }) => status),
    link: execFileSync('ip', ['-d', 'link', 'show', 'type', 'gre'], { encoding: 'utf8' }),
    table: execFileSync('nft', ['list', 'tables'], { encoding: 'utf8' }),
  }
}

main().then(
  (found) => console.log(`FOUND ${JSON.stringify(found)}`),
  (error) => console.log(`FAILED ${error.stack}`),
)
