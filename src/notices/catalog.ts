/** Templates by code: `{{name}}` is a value, `{{count:row|rows}}` the singular or plural word for a number. */
export interface Catalog {
  readonly [code: string]: string
}

/** The same codes in another language. */
export type Translation<Source> = { readonly [code in keyof Source]: string }

/** The names of the values of a template. */
type Names<Template extends string> = Template extends `${string}{{${infer Placeholder}}}${infer Rest}`
  ? NameOf<Placeholder> | Names<Rest>
  : never
type NameOf<Placeholder extends string> = Placeholder extends `${string}:${string}` ? never : Placeholder
/** The names of the values that choose between singular and plural. */
type CountNames<Template extends string> = Template extends `${string}{{${infer Placeholder}}}${infer Rest}`
  ? CountNameOf<Placeholder> | CountNames<Rest>
  : never
type CountNameOf<Placeholder extends string> = Placeholder extends `${infer Name}:${string}` ? Name : never

/** The values of a template. A value that chooses between singular and plural is a number. */
export type ValuesOf<Template extends string, Value> = {
  readonly [name in CountNames<Template>]: number
} & { readonly [name in Exclude<Names<Template>, CountNames<Template>>]: Value }
