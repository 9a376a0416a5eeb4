// npx tsx test/netns/window-soak.ts [kills] [part]: as many kills of a helper in a window, by default 1,000, in parts
// of 100. What has passed is noted, so that a run that was stopped goes on from there.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [kills = 1000, part = 100] = process.argv.slice(2).map(Number)
const NOTED = join('.build', 'window-soak.json')
const MOCHA = ['mocha', '--import=tsx', 'test/netns/windows.test.ts']

const noted = (): number =>
  existsSync(NOTED) ? (JSON.parse(readFileSync(NOTED, 'utf8')) as { passed: number }).passed : 0

for (let passed = noted(); passed < kills;) {
  const some = Math.min(part, kills - passed)
  const began = Date.now()
  const env = { ...process.env, PANEL_WINDOW_KILLS: `${some}` }
  const { status } = spawnSync('npx', MOCHA, { env, stdio: 'inherit' })
  if (status !== 0) {
    console.error(`A part failed after ${passed} kills of ${kills} had passed`)
    process.exit(1)
  }
  passed += some
  mkdirSync(dirname(NOTED), { recursive: true })
  writeFileSync(NOTED, JSON.stringify({ passed }))
  console.log(
    `${passed} of ${kills} kills have passed; the last ${some} took ${Math.round((Date.now() - began) / 1000)} s`,
  )
}
console.log(`${noted()} kills have passed; remove ${NOTED} to begin again`)
