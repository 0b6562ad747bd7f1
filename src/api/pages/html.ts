import { escapeHtml } from '../../values/escape-html.ts'

/** HTML that may be sent unchanged. It is created by `html`; code that creates it directly is responsible for its safety. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A template tag: inserted texts are escaped, inserted `Html` is not, and null inserts nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html | null)[]): Html {
  const inserted = values.map((value) => (value instanceof Html ? value.text : escapeHtml(value ?? '')))
  return new Html(parts.map((part, index) => part + (inserted[index] ?? '')).join(''))
}
