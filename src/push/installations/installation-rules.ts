import { errors } from '../../errors.ts'
import type { Changes, Operation } from '../../objects/operations/operation.ts'
import type { ClassRules } from '../../objects/store.ts'
import type { Json } from '../../values/json.ts'

/**
 * Any token, including Apple tokens that APNs will reject: clients save such tokens, and pushes report them (protocol/push,
 * Installation fields). The unique index covers this length.
 */
const DEVICE_TOKEN = /^[\x21-\x7e]{1,200}$/
export const DEVICE_TOKEN_FORM = "'deviceToken' must have 1 to 200 visible ASCII characters."

/** Longer than any client-generated id, and shorter than the length that the unique index covers. */
const MAX_INSTALLATION_ID = 128

const CHANNEL = /^[A-Za-z0-9_=\-\p{Script=Han}]*$/u

/** `_default` means no profile (protocol/push, Installation fields). */
const DEVICE_PROFILE = /^(?:[A-Za-z][A-Za-z0-9_]*|_default)?$/

/** The special rules of `_Installation`: fields that pushes use are checked (protocol/push, Installation fields). */
export const installationRules: ClassRules = {
  create(changes: Changes): Changes {
    checkFields(changes)
    return changes
  },
  update: checkFields,
}

/**
 * Returns whether a value is a valid channel name (protocol/push, Installation fields: channels). The empty name is the broadcast
 * channel.
 */
export function isChannel(name: unknown): name is string {
  return typeof name === 'string' && CHANNEL.test(name)
}

/** Checks the fields. @throws ApiError 1, 111, 112 or 114; field types are checked with those of all classes */
function checkFields({ fields }: Changes): void {
  for (const { path, operations } of fields) {
    if (path.length > 1) continue
    for (const value of operations.flatMap(valuesOf)) checkValue(path[0]!, value)
  }
}

/** Returns the values that an operation adds to the field or removes from it; null means no value. */
function valuesOf(operation: Operation): readonly Json[] {
  switch (operation.kind) {
    case 'Set':
      return operation.value === null ? [] : [operation.value]
    case 'Add':
    case 'AddUnique':
    case 'Remove':
      return [operation.objects]
    default:
      return []
  }
}

/** Checks a value. A wrong type is left to the type check, unless it has its own error code. */
function checkValue(field: string, value: Json): void {
  switch (field) {
    case 'deviceToken':
      if (typeof value !== 'string' || !DEVICE_TOKEN.test(value)) throw errors.invalidDeviceToken(DEVICE_TOKEN_FORM)
      break
    case 'installationId':
      if (typeof value === 'string' && (value === '' || value.length > MAX_INSTALLATION_ID))
        throw errors.badArgument(`'installationId' must have 1 to ${MAX_INSTALLATION_ID} characters.`)
      break
    case 'channels':
      if (Array.isArray(value) && !value.every(isChannel)) throw errors.invalidChannel()
      break
    case 'deviceProfile':
      if (typeof value === 'string' && !DEVICE_PROFILE.test(value))
        throw errors.badArgument(
          "'deviceProfile' must begin with a letter and contain only letters, digits and underscores.",
        )
      break
  }
}
