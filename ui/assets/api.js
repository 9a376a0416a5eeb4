// Asks the panel's API: a refusal comes as an error with the API's own code, sentence and field.
const { api_base_path } = window.__PANEL__

export class Refused extends Error {
  constructor(status, { code, message, field = '', details = {} }) {
    super(message)
    Object.assign(this, { status, code, field, details })
  }
}

const SILENT = { code: 'NO_ANSWER', message: 'The panel does not answer. Is its daemon running, and is the network up?' }
const GARBLED = { code: 'NOT_THE_PANEL', message: 'Something other than the panel answered, perhaps a proxy before it.' }

/** The page can read this cookie only; it lives as long as the session can be renewed. */
const csrfToken = () => /(?:^|; )panel_csrf=([^;]*)/.exec(document.cookie)?.[1] ?? ''

export const hasSession = () => csrfToken() !== ''

const send = async (method, path, body) => {
  const headers = { ...(body && { 'Content-Type': 'application/json' }), ...(method !== 'GET' && { 'X-CSRF-Token': csrfToken() }) }
  const response = await fetch(api_base_path + path, { method, headers, body: body && JSON.stringify(body) }).catch(() => null)
  if (!response) throw new Refused(0, SILENT)
  const answer = await response.json().catch(() => null)
  if (!response.ok || !answer) throw new Refused(response.status, answer?.error ?? GARBLED)
  return answer
}

let refreshing = null
const refresh = () => (refreshing ??= send('POST', '/auth/refresh').finally(() => { refreshing = null }))

/** A session whose first token has run out is renewed once, and the same request sent again. */
export const ask = async (method, path, body) => {
  try {
    return await send(method, path, body)
  } catch (refused) {
    if (refused.code !== 'UNAUTHENTICATED' || !hasSession()) throw refused
    await refresh()
    return send(method, path, body)
  }
}
