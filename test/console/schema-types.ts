type Json = { readonly [name: string]: unknown }

/**
 * Converts a JSON Schema of the management API to a TypeScript type. Supports the subset used by its responses.
 * @param indent the prefix of each line after the first
 * @throws Error for unsupported schemas
 */
export function typeOf(schema: Json, indent = ''): string {
  const known = reference(schema) ?? alternatives(schema, indent) ?? literal(schema)
  if (known !== null) return known
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      if (schema.prefixItems) return tupleType(schema.prefixItems as readonly Json[], indent)
      return `readonly ${grouped(typeOf((schema.items ?? {}) as Json, indent))}[]`
    case 'object':
      return objectType(schema, indent)
    case undefined:
      return 'unknown'
  }
  throw new Error(`the schema has the type ${JSON.stringify(schema.type)}, which cannot be printed yet`)
}

/** Returns the name of a referenced type. */
function reference({ $ref }: Json): string | null {
  return typeof $ref === 'string' ? $ref.split('/').at(-1)! : null
}

function tupleType(items: readonly Json[], indent: string): string {
  return `readonly [${items.map((item) => typeOf(item, indent)).join(', ')}]`
}

function alternatives(schema: Json, indent: string): string | null {
  const list = (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined
  return list ? [...new Set(list.map((one) => typeOf(one, indent)))].join(' | ') : null
}

function literal({ enum: values, const: value }: Json): string | null {
  if (Array.isArray(values)) return values.map(quoted).join(' | ')
  return value === undefined ? null : quoted(value)
}

function objectType(schema: Json, indent: string): string {
  const inner = `${indent}  `
  const required = (schema.required ?? []) as readonly string[]
  const members = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Json>>).flatMap(
    ([name, member]) => [
      ...comment(member.description, inner),
      `${inner}readonly ${memberName(name)}${required.includes(name) ? '' : '?'}: ${typeOf(member, inner)}`,
    ],
  )
  const others = schema.additionalProperties
  if (typeof others === 'object' && others !== null) {
    const { enum: names } = (schema.propertyNames ?? {}) as { readonly enum?: readonly unknown[] }
    const type = typeOf(others as Json, inner)
    // An object keyed by some names of an enumeration is a separate type.
    if (names) return `{ readonly [name in ${names.map(quoted).join(' | ')}]${isPartial(schema) ? '?' : ''}: ${type} }`
    members.push(`${inner}readonly [name: string]: ${type}`)
  }
  return members.length === 0 ? 'object' : `{\n${members.join('\n')}\n${indent}}`
}

function isPartial({ required }: Json): boolean {
  return required === undefined
}

function grouped(type: string): string {
  return type.includes(' | ') || type.startsWith('readonly ') ? `(${type})` : type
}

function comment(description: unknown, indent: string): string[] {
  return typeof description === 'string' ? [`${indent}/** ${description} */`] : []
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : JSON.stringify(value)
}
