/** A statement with `$1`, `$2`, … whose text never changes. */
export class Statement {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
