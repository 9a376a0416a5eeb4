// Reads server-sent events from a POST response, which EventSource cannot send (WHATWG HTML, 9.2.6).
export interface StreamedEvent {
  readonly name: string
  readonly data: string
}

/** Accepts text in chunks and returns complete events. */
export const eventParser = (): ((text: string) => StreamedEvent[]) => {
  let rest = ''
  let name = ''
  let data: string[] = []
  return (text) => {
    // A trailing CR may be half of a CRLF.
    const held = (rest + text).endsWith('\r') ? '\r' : ''
    const lines = (rest + text).slice(0, held === '' ? undefined : -1).split(/\r\n|\n|\r/)
    rest = `${lines.pop() ?? ''}${held}`
    const events: StreamedEvent[] = []
    for (const line of lines) {
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (line === '') {
        if (data.length > 0) events.push({ name: name || 'message', data: data.join('\n') })
        name = ''
        data = []
      } else if (field === 'event') name = value
      else if (field === 'data') data.push(value)
    }
    return events
  }
}

/** Resolves when the response ends. */
export const readEvents = async (response: Response, onEvent: (event: StreamedEvent) => void): Promise<void> => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const parse = eventParser()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) return
    for (const event of parse(value)) onEvent(event)
  }
}
