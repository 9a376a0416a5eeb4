// NAME=value lines of the file that PANEL_CONFIG_FILE names; the environment wins. The web daemon reads the same file
// for its own names.
import { readFile } from 'node:fs/promises'

export async function withConfigFile(environment: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const path = environment['PANEL_CONFIG_FILE']
  if (!path) return environment
  const lines = (await readFile(path, 'utf8'))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  return { ...Object.fromEntries(lines.map((line) => pairIn(line, path))), ...environment }
}

function pairIn(line: string, path: string): [string, string] {
  const [, name, value] = /^(PANEL_[A-Z_]+)=(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined)
    throw new Error(`${path}: ${JSON.stringify(line)} is not of the form PANEL_NAME=value`)
  return [name, value]
}
