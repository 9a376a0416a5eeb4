// Measures the panel beside the raw tools and prints one table. A missed aim is printed; only a wrong answer, or none,
// is a failure.
import { loadavg } from 'node:os'
import { delimiter } from 'node:path'
import { whyNot } from '../vm/lab/index.ts'
import { answersPart } from './answers/part.ts'
import { fastPathPart } from './fast-path/part.ts'
import { checksPart } from './checks.ts'
import { hostPart } from './host/part.ts'
import { bootPart, labPart } from './lab/part.ts'
import { protectionPart } from './protection/part.ts'
import { failoverPart } from './relay/failover.ts'
import { causesPart, desiredPart, relayPart, rulesPart } from './relay/part.ts'
import { scrapePart } from './scrape/part.ts'
import { signInPart } from './sign-in/part.ts'
import { watchPart } from './watch/part.ts'
import { windowsPart } from './windows/part.ts'
import { asTable, type Section } from './table.ts'

interface Part {
  /** Undefined when it can run here; else why not. */
  readonly whyNot: () => Promise<string | undefined>
  readonly run: (tell: (section: Section) => void) => Promise<void>
}

process.env['PATH'] = [process.env['PATH'], '/usr/sbin', '/sbin'].join(delimiter)

const needsRoot = async (): Promise<string | undefined> =>
  process.getuid?.() === 0 ? undefined : 'it needs root, to make a network namespace and run the helper as root in it'

const PARTS: Readonly<Record<string, Part>> = {
  host: { whyNot: needsRoot, run: hostPart },
  watch: { whyNot: needsRoot, run: watchPart },
  scrape: { whyNot: async () => undefined, run: scrapePart },
  checks: { whyNot: async () => undefined, run: checksPart },
  answers: { whyNot: needsRoot, run: answersPart },
  relay: { whyNot: needsRoot, run: relayPart },
  rules: { whyNot: needsRoot, run: rulesPart },
  causes: { whyNot: needsRoot, run: causesPart },
  desired: { whyNot: needsRoot, run: desiredPart },
  failover: { whyNot: needsRoot, run: failoverPart },
  protection: { whyNot: needsRoot, run: protectionPart },
  'fast-path': { whyNot: needsRoot, run: fastPathPart },
  windows: { whyNot: needsRoot, run: windowsPart },
  'sign-in': { whyNot: async () => undefined, run: signInPart },
  lab: { whyNot, run: labPart },
  boot: { whyNot, run: bootPart },
}

/** Runs a part and returns whether it succeeded. What was measured before a failure is printed all the same. */
async function measure(name: string, part: Part): Promise<boolean> {
  const reason = await part.whyNot()
  if (reason !== undefined) {
    console.error(`${name}: skipped: ${reason}`)
    return true
  }
  const started = Date.now()
  try {
    await part.run((section) => sections.push(section))
    console.error(
      `${name}: ${((Date.now() - started) / 1000).toFixed(0)} s; load average ${loadavg()
        .map((load) => load.toFixed(1))
        .join(' ')}`,
    )
    return true
  } catch (error) {
    console.error(`${name}: failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return false
  }
}

const requests = process.argv.slice(2)
const unknown = requests.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0)
  throw new Error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`)
const sections: Section[] = []
const results: boolean[] = []
// Broken off, it tells what it has.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    console.log(asTable(sections))
    process.exit(1)
  })
for (const [name, part] of Object.entries(PARTS))
  if (requests.length === 0 || requests.includes(name)) results.push(await measure(name, part))
console.log(asTable(sections))
process.exit(results.every(Boolean) ? 0 : 1)
