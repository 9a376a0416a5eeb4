// Reads the text that Prometheus reads, strictly: every line is of a family that was announced, and no sample comes
// twice.
import assert from 'node:assert/strict'

export interface ReadFamily {
  readonly type: string
  readonly help: string
  /** The values by name with labels, as on the line. */
  readonly samples: ReadonlyMap<string, number>
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (\S+)$/
const ENDINGS = /(_total|_info|_bucket|_sum|_count)$/

export function readExposition(text: string): ReadonlyMap<string, ReadFamily> {
  const families = new Map<string, { type: string; help: string; samples: Map<string, number> }>()
  const lines = text.split('\n')
  assert.equal(lines.pop(), '', 'the text ends with a line break')
  for (const [at, line] of lines.entries()) {
    if (line === '# EOF') assert.equal(at, lines.length - 1, 'nothing follows the end')
    else if (line.startsWith('# ')) announce(families, line)
    else addSample(families, line)
  }
  return families
}

type Families = Map<string, { type: string; help: string; samples: Map<string, number> }>

function announce(families: Families, line: string): void {
  const [, keyword, name, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
  if (name === undefined || rest === undefined) return assert.fail(`no such line: ${line}`)
  if (keyword === 'HELP') {
    assert.ok(!families.has(name), `${name} is announced twice`)
    families.set(name, { type: '', help: rest, samples: new Map() })
    return
  }
  const family = families.get(name)
  assert.equal(family?.type, '', `${name} has its help first, and one type`)
  if (family) family.type = rest
}

function addSample(families: Families, line: string): void {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
  if (name === undefined) return assert.fail(`no sample: ${line}`)
  const family = families.get(name) ?? families.get(name.replace(ENDINGS, ''))
  if (!family) return assert.fail(`${name} was not announced`)
  assert.ok(!family.samples.has(name + labels), `${name}${labels} comes twice`)
  assert.ok(!Number.isNaN(Number(value)), `${line} has a number`)
  family.samples.set(name + labels, Number(value))
}

/** Every counter, and what counts in a histogram. */
export const countersIn = (families: ReadonlyMap<string, ReadFamily>): Map<string, number> =>
  new Map(
    [...families.values()].flatMap(({ type, samples }) =>
      type === 'counter' || type === 'histogram' ? [...samples] : [],
    ),
  )
