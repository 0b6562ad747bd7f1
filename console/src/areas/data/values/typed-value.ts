/** Values as the wire has them. */
export interface PointerValue {
  readonly __type: 'Pointer'
  readonly className: string
  readonly objectId: string
}

export interface DateValue {
  readonly __type: 'Date'
  /** UTC */
  readonly iso: string
}

export interface GeoPointValue {
  readonly __type: 'GeoPoint'
  readonly latitude: number
  readonly longitude: number
}

export interface FileValue {
  readonly __type: 'File'
  readonly id: string
  readonly name?: string
  readonly url?: string
}

/** Whether a value is of a type that is marked by `__type`. */
function isTyped<Name extends string>(value: unknown, type: Name): value is { readonly __type: Name } {
  return typeof value === 'object' && value !== null && (value as { __type?: unknown }).__type === type
}

export const isPointer = (value: unknown): value is PointerValue => isTyped(value, 'Pointer')
export const isDate = (value: unknown): value is DateValue => isTyped(value, 'Date')
export const isGeoPoint = (value: unknown): value is GeoPointValue => isTyped(value, 'GeoPoint')
export const isFile = (value: unknown): value is FileValue => isTyped(value, 'File')

export function pointerTo(className: string, objectId: string): PointerValue {
  return { __type: 'Pointer', className, objectId }
}

/** The URL of a file when a browser may be sent there; null for others, such as `javascript:`. */
export function webUrl(url: unknown): string | null {
  return typeof url === 'string' && /^https?:\/\//i.test(url) ? url : null
}
