/** The same texts in another language: what is missing there, or too much, is an error of types. */
export type Translated<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends string ? string : Translated<Texts[Name]>
}
