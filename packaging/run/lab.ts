// Boots the lab machine with two servers, A and B, each with the built panel, and says where to open them.
import { startLab } from '../../test/vm/lab/index.ts'
import { putPanel } from '../../test/vm/panel/bundles.ts'
import { Panel } from '../../test/vm/panel/panel.ts'

console.log('Starting a Debian 13 machine (the first time builds it, which takes about two minutes)')
const lab = await startLab()
const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
})
try {
  const servers = await lab.twoServers()
  await putPanel(lab)
  console.log('Starting the panel on both of its servers')
  const panels = await Promise.all([new Panel(servers.a).start(), new Panel(servers.b).start()])
  for (const { server } of panels)
    console.log(`Server ${server.name.toUpperCase()} (${server.address}, ${server.address6}): ${server.url}/`)
  console.log(
    'Both are servers on one cable: make a tunnel on each, from its own address to the other. Ctrl-C ends the machine, and nothing of it is kept.',
  )
  await stopped
} finally {
  await lab.stop()
}
