/** The same texts in another language: missing or additional ones are type errors. */
export type Translated<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends string ? string : Translated<Texts[Name]>
}
