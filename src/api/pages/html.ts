import { escapeHtml } from '../../values/escape-html.ts'

/** HTML that may go out as it is. It is made by `html`; whoever makes one by hand answers for what is in it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A tag for templates: texts that are inserted are escaped, `Html` is not again, null leaves nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html | null)[]): Html {
  const inserted = values.map((value) => (value instanceof Html ? value.text : escapeHtml(value ?? '')))
  return new Html(parts.map((part, index) => part + (inserted[index] ?? '')).join(''))
}
