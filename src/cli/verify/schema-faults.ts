import { isDeepStrictEqual } from 'node:util'
import type { HostedClass } from '../../import/forms/form.ts'
import { type WantedClass, wantedClass } from '../hosted-schema.ts'
import type { ShownClass } from '../shown-class.ts'

/**
 * Classes and fields that are not here, or of another type, and who may do what with a class where that is not the same: a line
 * each. Options of fields may change.
 */
export function schemaFaults(
  hosted: ReadonlyMap<string, HostedClass>,
  classes: readonly ShownClass[],
): readonly string[] {
  const known = new Map(classes.map((one) => [one.className, one]))
  return [...hosted].flatMap(([className, parts]) => {
    const here = known.get(className)
    if (!here) return [`there is no class ${className} here`]
    const wanted = wantedClass(className, parts)
    const fields = Object.entries(wanted.fields).flatMap(([name, field]) => {
      const present = here.fields[name]
      if (!present) return [`${className} has no field ${name} here`]
      const target = 'className' in field ? field.className : undefined
      if (present.type === field.type && present.className === target) return []
      return [
        `${className}.${name} is ${typeText(present.type, present.className)} here, not ${typeText(field.type, target)}`,
      ]
    })
    return [...fields, ...accessFaults(className, wanted, here)]
  })
}

function accessFaults(className: string, wanted: WantedClass, here: ShownClass): string[] {
  const faults = Object.entries(wanted.permissions).flatMap(([operation, who]) => {
    const present = here.permissions[operation] ?? 'public'
    return isDeepStrictEqual(present, who)
      ? []
      : [`${className}: ${operation} is for ${JSON.stringify(present)} here, for ${JSON.stringify(who)} there`]
  })
  const { defaultAcl } = wanted
  if (defaultAcl !== undefined && !isDeepStrictEqual(here.defaultAcl, defaultAcl))
    faults.push(
      `${className}: its default ACL is ${JSON.stringify(here.defaultAcl)} here, ${JSON.stringify(defaultAcl)} there`,
    )
  return faults
}

function typeText(type: string, className: string | undefined): string {
  return className ? `${type}<${className}>` : type
}
