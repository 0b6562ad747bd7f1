import type { HostedClass } from '../../import/forms/form.ts'
import { at, type Notice, notice } from '../../notices/notice.ts'
import { CLASS_OPERATIONS } from '../../objects/access/permissions.ts'
import { type JsonObject, ownMember } from '../../values/json.ts'
import { isUnknownBuiltIn, NO_SUCH_CLASS, type WantedClass, wantedClass } from '../hosted-schema.ts'
import { shownIndex, withoutCounterpart } from '../index-counterpart.ts'
import type { ShownClass } from '../shown-class.ts'
import { isAclWithin, isPermissionWithin } from './access-within.ts'

/** The result of comparing classes, as notices. */
export interface ComparedSchema {
  /** After a switch, fields or rules would be missing, or callers would get access that the source denies. */
  readonly faults: readonly Notice[]
  /** Changes that the owner made here, possibly on purpose. */
  readonly notes: readonly Notice[]
}

interface Lines {
  readonly faults: Notice[]
  readonly notes: Notice[]
}

/**
 * Compares classes with the source: fields and their types, permissions, and unique indexes. Stricter access here is a note,
 * broader access is a fault. Options of fields are not compared.
 * @param made returns the indexes of a class that administrators created here
 */
export function compareSchema(
  hosted: ReadonlyMap<string, HostedClass>,
  classes: readonly ShownClass[],
  made: (className: string) => readonly string[],
): ComparedSchema {
  const known = new Map(classes.map((one) => [one.className, one]))
  const lines: Lines = { faults: [], notes: [] }
  for (const [className, parts] of hosted) {
    const here = known.get(className)
    if (!here && isUnknownBuiltIn(className)) {
      // If the class has records, these are reported as missing.
      lines.notes.push(at(className, NO_SUCH_CLASS))
      continue
    }
    if (!here) {
      lines.faults.push(notice('classMissing', { className }))
      continue
    }
    const wanted = wantedClass(className, parts)
    compareFields(className, wanted, here, lines)
    comparePermissions(className, wanted, here, lines)
    compareDefaultAcl(className, wanted, here, lines)
    if (parts.indexes !== undefined) compareIndexes(className, wanted, here, made(className), lines)
  }
  return lines
}

function compareFields(className: string, { fields }: WantedClass, here: ShownClass, { faults }: Lines): void {
  for (const [name, field] of Object.entries(fields)) {
    const present = ownMember(here.fields, name)
    const target = 'className' in field ? field.className : undefined
    if (!present) faults.push(notice('classWithoutField', { className, field: name }))
    else if (present.type !== field.type || present.className !== target)
      faults.push(
        notice('fieldOfOtherType', {
          className,
          field: name,
          here: typeText(present.type, present.className),
          there: typeText(field.type, target),
        }),
      )
  }
}

function comparePermissions(className: string, wanted: WantedClass, here: ShownClass, { faults, notes }: Lines): void {
  for (const [operation, there] of Object.entries(wanted.permissions)) {
    const present = here.permissions[operation] ?? 'public'
    const text = notice('permissionDiffers', {
      className,
      operation,
      here: JSON.stringify(present),
      there: JSON.stringify(there),
    })
    if (!isPermissionWithin(present, there)) faults.push(text)
    else if (!isPermissionWithin(there, present)) notes.push(notice('stricterHere', { difference: text }))
  }
  for (const { to, note } of wanted.unknownAccess) {
    // A fault if the operation is public here, because the source may restrict it.
    if (to === 'defaultAcl') continue
    const operations = to === null ? CLASS_OPERATIONS : [to]
    const isOpen = operations.some((one) => (here.permissions[one] ?? 'public') === 'public')
    const lines = isOpen ? faults : notes
    lines.push(at(className, note))
  }
}

function compareDefaultAcl(
  className: string,
  { defaultAcl: there, unknownAccess }: WantedClass,
  here: ShownClass,
  { faults, notes }: Lines,
): void {
  const present = here.defaultAcl as JsonObject
  for (const { to, note } of unknownAccess) {
    if (to !== 'defaultAcl') continue
    const lines = Object.hasOwn(present, '*') ? faults : notes
    lines.push(at(className, note))
  }
  if (there === undefined) return
  const text = notice('defaultAclDiffers', { className, here: JSON.stringify(present), there: JSON.stringify(there) })
  if (!isAclWithin(present, there)) faults.push(text)
  else if (!isAclWithin(there, present)) notes.push(notice('stricterHere', { difference: text }))
}

/**
 * Compares unique indexes, which are rules; other indexes are built on demand.
 * @param made those created by administrators
 */
function compareIndexes(
  className: string,
  wanted: WantedClass,
  here: ShownClass,
  made: readonly string[],
  { faults, notes }: Lines,
): void {
  for (const index of wanted.indexes) {
    if (!index.unique || here.indexes.includes(shownIndex(index))) continue
    const reason = withoutCounterpart(className, index, wanted, here)
    if (reason !== null) notes.push(at(className, reason))
    else faults.push(notice('indexMissing', { className, index: shownIndex(index) }))
  }
  const there = wanted.indexes.map(shownIndex)
  const more = made.filter((index) => !there.includes(index))
  if (more.length > 0) notes.push(notice('indexesOnlyHere', { className, indexes: more }))
}

function typeText(type: string, className: string | undefined): string {
  return className ? `${type}<${className}>` : type
}
