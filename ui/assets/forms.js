// Makes a form send itself over the API, and puts what is wrong beside the field that it is about.
export const MIN_CHARACTERS = 12

/** Counted as the server counts: by character, not by UTF-16 unit. */
export const lengthOf = (password) => [...password].length

/** `check` answers what the page already knows to be wrong, as { field: sentence }; `send` does the work and may throw. */
export const wire = (form, { check, send }) => {
  let isSending = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isSending) return
    isSending = true
    clear(form)
    const values = Object.fromEntries(new window.FormData(form))
    try {
      const wrong = { ...missing(form), ...check(values) }
      if (Object.keys(wrong).length > 0) complain(form, wrong, '')
      else await send(values)
    } catch (refused) {
      complain(form, fieldsOf(refused), refused.message)
    } finally {
      isSending = false
    }
  })
  form.addEventListener('input', ({ target }) => { if (target.getAttribute('aria-invalid') === 'true') say(target, '') })
  for (const box of form.querySelectorAll('[data-shows]')) {
    box.addEventListener('change', () => { document.getElementById(box.dataset.shows).type = box.checked ? 'text' : 'password' })
  }
}

export const clear = (form) => {
  form.querySelector('.trouble').hidden = true
  for (const input of inputs(form)) say(input, '')
}

const inputs = (form) => [...form.elements].filter(({ name }) => name)

const missing = (form) => Object.fromEntries(inputs(form).filter((input) => input.value === '').map((input) => [input.name, `${input.labels[0].textContent} is missing`]))

const fieldsOf = ({ field, message, details }) => ({
  ...(field && { [field]: message }),
  ...Object.fromEntries((details?.fields ?? []).map((problem) => [problem.field, problem.message])),
})

/** What fits no field of the form is said above it. */
const complain = (form, wrong, message) => {
  const bad = inputs(form).filter(({ name }) => wrong[name])
  for (const input of bad) say(input, wrong[input.name])
  if (bad.length === 0) Object.assign(form.querySelector('.trouble'), { textContent: message, hidden: false })
  const target = bad[0] ?? form.querySelector('[type=password], [type=text]')
  target.focus()
}

const say = (input, sentence) => {
  const place = document.getElementById(`${input.id}-error`)
  // `data-beside` names the hint that the field has while nothing is wrong with it.
  const described = sentence ? place.id : (place.dataset.beside ?? '')
  Object.assign(place, { textContent: sentence, hidden: sentence === '' })
  input.setAttribute('aria-invalid', String(sentence !== ''))
  input.setAttribute('aria-describedby', described)
}
