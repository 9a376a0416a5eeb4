// Tells whether the panel is set up and which of its parts work, in words.
const { api_base_path } = window.__PANEL__
const state = document.querySelector('#state')

const show = (health) => {
  state.textContent = health.setup_required
    ? 'The panel has no operator account yet. Create it with POST ' + api_base_path + '/auth/setup.'
    : 'The panel is set up. Sign in over the API at ' + api_base_path + '.'
  const rows = health.components.map(({ name, status }) => {
    const row = document.createElement('li')
    const said = document.createElement('span')
    said.textContent = status
    row.append(name.replaceAll('_', ' '), said)
    return row
  })
  document.querySelector('#components').replaceChildren(...rows)
}

try {
  show(await (await fetch(api_base_path + '/system/health')).json())
} catch {
  state.textContent = 'The panel does not answer. Is its daemon running?'
}
