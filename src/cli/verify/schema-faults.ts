import type { HostedClass } from '../../import/forms/form.ts'
import { wantedClass } from '../hosted-schema.ts'
import type { ShownClass } from '../shown-class.ts'

/** Classes and fields that are not here, or of another type: a line each. Options and permissions may change. */
export function schemaFaults(
  hosted: ReadonlyMap<string, HostedClass>,
  classes: readonly ShownClass[],
): readonly string[] {
  const known = new Map(classes.map((one) => [one.className, one]))
  return [...hosted].flatMap(([className, parts]) => {
    const here = known.get(className)
    if (!here) return [`there is no class ${className} here`]
    return Object.entries(wantedClass(className, parts).fields).flatMap(([name, field]) => {
      const present = here.fields[name]
      if (!present) return [`${className} has no field ${name} here`]
      const target = 'className' in field ? field.className : undefined
      if (present.type === field.type && present.className === target) return []
      return [
        `${className}.${name} is ${typeText(present.type, present.className)} here, not ${typeText(field.type, target)}`,
      ]
    })
  })
}

function typeText(type: string, className: string | undefined): string {
  return className ? `${type} to ${className}` : type
}
