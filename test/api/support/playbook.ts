// The playbook of the guide, run as Ansible runs it: each task of the module `uri` is one request, which curl sends with
// the headers of that module.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from '../../../packaging/build/build.ts'

interface UriArguments {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body_format: string
  readonly body: unknown
  readonly status_code: number
  readonly return_content: boolean
  readonly timeout: number
}

interface Task {
  readonly name: string
  readonly 'ansible.builtin.uri': UriArguments
  readonly check_mode?: boolean
  readonly register: string
  readonly changed_when: string
}

interface Play {
  readonly vars: Readonly<Record<string, string>>
  readonly tasks: readonly Task[]
}

export interface Ran {
  readonly task: string
  readonly status: number
  readonly state: 'ok' | 'changed' | 'failed' | 'skipped'
  readonly json: unknown
}

/** The blocks of YAML of the guide, below a heading. */
export function yamlBlocks(heading: string): string[] {
  const guide = readFileSync(join(ROOT, 'packaging/guide.md'), 'utf8')
  const [, section = ''] = guide.split(`\n${heading}\n`)
  const [own = ''] = section.split(/\n#+ /)
  return [...own.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text)
}

export function readPlaybook(): Play {
  const [text = assert.fail('no playbook')] = yamlBlocks('### From Ansible')
  const [play = assert.fail('no play')] = parse(text) as Play[]
  return play
}

/** Runs the tasks until one fails. `vars` are those of the play, with the values of a test. */
export async function runPlaybook(
  play: Play,
  vars: Readonly<Record<string, unknown>>,
  isCheck = false,
): Promise<Ran[]> {
  assert.deepEqual(Object.keys(play.vars).sort(), Object.keys(vars).sort())
  const ran: Ran[] = []
  for (const task of play.tasks) {
    const one = isCheck && task.check_mode !== false ? skipped(task) : await runTask(task, vars)
    ran.push(one)
    if (one.state === 'failed') break
  }
  return ran
}

const skipped = ({ name }: Task): Ran => ({ task: name, status: 0, state: 'skipped', json: null })

async function runTask(task: Task, vars: Readonly<Record<string, unknown>>): Promise<Ran> {
  const given = rendered(task['ansible.builtin.uri'], vars) as UriArguments
  assert.equal(given.body_format, 'json')
  const { status, text } = await curl(given)
  const json = JSON.parse(text) as unknown
  if (status !== given.status_code) return { task: task.name, status, state: 'failed', json }
  const isChanged = valueAt({ [task.register]: { json } }, task.changed_when)
  assert.equal(typeof isChanged, 'boolean', task.changed_when)
  return { task: task.name, status, state: isChanged ? 'changed' : 'ok', json }
}

/** An expression that stands alone keeps its type, as in Ansible. */
function rendered(value: unknown, vars: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((one) => rendered(one, vars))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rendered(one, vars)]))
  if (typeof value !== 'string') return value
  const [, alone] = /^\{\{ (\w+) \}\}$/.exec(value) ?? []
  if (alone !== undefined) return vars[alone]
  return value.replaceAll(/\{\{ (\w+) \}\}/g, (_, name: string) => String(vars[name]))
}

const valueAt = (root: unknown, path: string): unknown =>
  path.split('.').reduce((value, key) => (value as Record<string, unknown>)[key], root)

/** Sends the headers that the module sends, and no other. */
async function curl({ url, method, headers, body, timeout }: UriArguments): Promise<{ status: number; text: string }> {
  const all = {
    'User-Agent': 'ansible-httpget',
    'Content-Type': 'application/json',
    'Accept-Encoding': 'identity',
    Connection: 'close',
    Accept: '',
    Expect: '',
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => ['-H', value === '' ? `${name}:` : `${name}: ${value}`])
  const options = ['-sS', '--http1.1', '-m', `${timeout}`, '-X', method, '-w', '\n%{http_code}', '--data-binary', '@-']
  const child = spawn('curl', [...options, ...lines, url], { stdio: ['pipe', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (bytes) => (output += String(bytes)))
  child.stdin.end(JSON.stringify(body))
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject))
  assert.equal(code, 0, `curl ended with ${String(code)}`)
  const end = output.lastIndexOf('\n')
  return { status: Number(output.slice(end + 1)), text: output.slice(0, end) }
}
