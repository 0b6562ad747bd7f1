import { z } from 'zod'

/** A setting, or all settings below a name. */
export interface Member {
  /** Its names separated by dots; `*` for any name. */
  readonly path: string
  /** Whether it is a secret: it can be set, but is never shown again. */
  readonly isSecret: boolean
}

/** Marks a setting as a secret: it can be set, but is never shown again. */
export function secret<Setting extends z.ZodType>(setting: Setting): Setting {
  return setting.meta({ secret: true })
}

/**
 * Returns the individual members of settings at any depth; members below a secret are part of it.
 * @throws Error for a secret inside a value whose parts have no names, such as a list, where it could not be hidden
 */
export function membersOf(schema: z.core.$ZodType, path = ''): Member[] {
  const below = (name: string, value: z.core.$ZodType) => membersOf(value, path === '' ? name : `${path}.${name}`)
  const { settings, isSecret } = unwrapped(schema)
  if (isSecret) return [{ path, isSecret }]
  if (settings instanceof z.ZodObject)
    return Object.entries(settings.shape).flatMap(([name, value]) => below(name, value))
  if (settings instanceof z.ZodRecord) return below('*', settings.valueType)
  for (const part of partsOf(settings))
    if (membersOf(part).some((member) => member.isSecret))
      throw new Error(`settings: no secret can be inside of ${path}`)
  return [{ path, isSecret }]
}

/** Returns the paths of the secrets among settings. */
export function secretPaths(schema: z.core.$ZodType): readonly string[] {
  return membersOf(schema).flatMap(({ path, isSecret }) => (isSecret ? [path] : []))
}

/** Returns settings without wrappers such as optional, default and pipe. The secret mark may be on any of them. */
function unwrapped(schema: z.core.$ZodType): { settings: z.core.$ZodType; isSecret: boolean } {
  const isSecret = z.globalRegistry.get(schema)?.secret === true
  const inner = innerOf(schema)
  if (!inner) return { settings: schema, isSecret }
  const found = unwrapped(inner)
  return { settings: found.settings, isSecret: isSecret || found.isSecret }
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  return isWrapper ? schema.unwrap() : undefined
}

function partsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element]
  if (schema instanceof z.ZodUnion) return schema.options
  return []
}
