// Types of frames.mjs for the host's end; the guest runs the plain JavaScript.
export const kinds: Readonly<
  Record<'request' | 'stdin' | 'endOfStdin' | 'signal' | 'stdout' | 'stderr' | 'exit' | 'failure', number>
>
export function frame(kind: number, payload?: string | Uint8Array): Buffer
export function frames(stream: AsyncIterable<Buffer>): AsyncGenerator<{ kind: number; payload: Buffer }>
export function drained(stream: NodeJS.WritableStream): Promise<void>
