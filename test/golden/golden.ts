// Compares text with a file beside the test; PANEL_WRITE_GOLDEN=1 writes the file instead, for a person to review in
// the diff.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

export function sameAsFile(path: string, text: string): void {
  if (process.env['PANEL_WRITE_GOLDEN'] === '1') writeFileSync(path, text)
  assert.ok(existsSync(path), `${path} is missing; PANEL_WRITE_GOLDEN=1 writes it`)
  assert.equal(text, readFileSync(path, 'utf8'))
}
