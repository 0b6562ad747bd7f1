import { readFileSync } from 'node:fs'
import protobuf from 'protobufjs'
import { expect, it } from 'vitest'

const HEAD = `// Generated from schema.proto by \`npm run types:protocol\`.

import { fields, type NameOf, names, type ValuesOf } from './field-tables.ts'
`

/** The field tables of all messages, with the types of their values. */
function tables(proto: string): string {
  const { root, package: name } = protobuf.parse(proto, { keepCase: true, alternateCommentMode: true })
  // Required fields are known after the edition of the schema has been applied.
  root.resolveAll()
  const declared = root.lookup(name!) as protobuf.Namespace
  return [HEAD, ...declared.nestedArray.map(declarationOf)].join('\n')
}

function declarationOf(item: protobuf.ReflectionObject): string {
  const { name } = item
  const before = comment(item.comment, '')
  if (item instanceof protobuf.Enum)
    return `${before}export const ${name} = names({\n${namesOf(item, '  ', ',\n')},\n})\nexport type ${name} = NameOf<typeof ${name}>\n`
  if (!(item instanceof protobuf.Type)) throw new Error(`${name} is neither an enumeration nor a message`)
  const lines = item.fieldsArray.map(
    (field) => `${comment(field.comment, '  ')}  ${field.name}: ${fieldOf(item, field)},\n`,
  )
  return `${before}export const ${name} = fields({\n${lines.join('')}})\nexport type ${name} = ValuesOf<typeof ${name}>\n`
}

function fieldOf(message: protobuf.Type, field: protobuf.Field): string {
  const { id, type, repeated, required } = field
  const nested = message.nested?.[type]
  const isScalar = /^(string|bytes|bool|int32|int64)$/.test(type)
  const holds =
    nested instanceof protobuf.Enum ? `names({ ${namesOf(nested, '', ', ')} })` : isScalar ? `'${type}'` : type
  const label = required ? `, 'required'` : repeated ? `, 'repeated'` : ''
  return `[${id}, ${holds}${label}]`
}

function namesOf({ values }: protobuf.Enum, indent: string, separator: string): string {
  return Object.entries(values)
    .map(([name, number]) => `${indent}${name}: ${number}`)
    .join(separator)
}

function comment(text: string | null, indent: string): string {
  if (!text) return ''
  const lines = text.split('\n')
  if (lines.length === 1) return `${indent}/** ${text} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}

it('has the tables of its schema', async () => {
  const proto = readFileSync(new URL('schema.proto', import.meta.url), 'utf8')
  await expect(tables(proto)).toMatchFileSnapshot('schema.ts')
})
