// The command channel's framing, the same file at both ends: one byte of kind, four bytes of length, then the payload.
import { Buffer } from 'node:buffer'

const headerBytes = 5

export const kinds = Object.freeze({
  request: 1, // JSON: { argv, env, cwd }
  stdin: 2,
  endOfStdin: 3,
  signal: 4, // text: "SIGTERM"
  stdout: 5,
  stderr: 6,
  exit: 7, // JSON: { code, signal }
  failure: 8, // text: why the command could not start
})

export function frame(kind, payload = '') {
  const body = Buffer.from(payload)
  const header = Buffer.alloc(headerBytes)
  header.writeUInt8(kind, 0)
  header.writeUInt32BE(body.length, 1)
  return Buffer.concat([header, body])
}

export async function* frames(stream) {
  let pending = Buffer.alloc(0)
  for await (const chunk of stream) {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= headerBytes) {
      const end = headerBytes + pending.readUInt32BE(1)
      if (pending.length < end) break
      yield { kind: pending.readUInt8(0), payload: pending.subarray(headerBytes, end) }
      pending = pending.subarray(end)
    }
  }
}

/** Waits until a stream can take more, or never will again. */
export function drained(stream) {
  if (stream.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}
