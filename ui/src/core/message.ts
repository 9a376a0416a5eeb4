// A sentence of the API on the page: in the operator's language, with the form's words for fields.
export { render, type ApiMessage, type LabelOf, type Mark } from '@panel/shared/messages/render.ts'
