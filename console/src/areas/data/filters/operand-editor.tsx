import { Flex, Input, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Field } from '../../../api/classes.ts'
import { EntryFault } from '../../../parts/entry/entry-fault.tsx'
import { NumberInput } from '../../../parts/entry/number-input.tsx'
import { parseJson, parseNumber, parseObjectId, Unparsed } from '../../../parts/entry/parse-entry.ts'
import { JsonEditor } from '../../../parts/json-editor.tsx'
import { geoPointOf } from '../editors/geo-point-editor.tsx'
import { PointerEditor } from '../editors/pointer-editor.tsx'
import { ValueEditor } from '../editors/value-editor.tsx'
import { type GeoPointValue, isPointer, pointerTo } from '../values/typed-value.ts'
import type { Operator } from './filter-tree.ts'

interface OperandEditorProps {
  readonly field: Field
  readonly operator: Operator
  readonly value: unknown
  /** @param value undefined: empty; `Unparsed`: invalid for the operator */
  onChange(value: unknown): void
}

/** Edits the operand of a filter, by field type and operator. */
export function OperandEditor({ field, operator, value, onChange }: OperandEditorProps) {
  const { t } = useTranslation('data')
  const label = t('filter.value')
  switch (operator) {
    case 'in':
    case 'notIn':
    case 'all':
      return <ListEditor label={label} field={field} value={value} onChange={onChange} />
    case 'size':
      return (
        <NumberInput aria-label={label} min={0} isInteger style={{ width: 140 }} value={value} onChange={onChange} />
      )
    case 'near':
      return <NearEditor value={value} onChange={onChange} />
    case 'within':
      return <BoxEditor value={value} onChange={onChange} />
    case 'inQuery':
    case 'notInQuery':
      return (
        <JsonOperand
          label={label}
          value={value ?? { className: field.className ?? '', where: {} }}
          onChange={onChange}
        />
      )
    default:
      break
  }
  if (field.type === 'Boolean')
    return (
      <Select
        aria-label={label}
        style={{ width: 140 }}
        value={typeof value === 'boolean' ? String(value) : null}
        onChange={(chosen) => onChange(chosen === 'true')}
        options={[
          { value: 'true', label: t('value.true') },
          { value: 'false', label: t('value.false') },
        ]}
      />
    )
  if (field.type === 'String')
    return (
      <Input
        aria-label={label}
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  if (field.type === 'Pointer')
    return (
      <PointerEditor className={field.className ?? ''} value={isPointer(value) ? value : null} onChange={onChange} />
    )
  if (field.type === 'Number' || field.type === 'Date')
    return <ValueEditor field={field} label={label} value={value} onChange={onChange} />
  return <JsonOperand label={label} value={value} onChange={onChange} />
}

/** Edits several values: numbers as numbers, ids as pointers, and all others as texts. */
function ListEditor({
  label,
  field,
  value,
  onChange,
}: Pick<OperandEditorProps, 'field' | 'value' | 'onChange'> & { readonly label: string }) {
  const { t } = useTranslation('data')
  const [wrong, setWrong] = useState<Unparsed | null>(null)
  const items = Array.isArray(value) ? (value as unknown[]) : []
  const read = (text: string): unknown => {
    if (field.type === 'Pointer') {
      const id = parseObjectId(text)
      return id instanceof Unparsed ? id : pointerTo(field.className ?? '', id)
    }
    if (field.type === 'Number') return parseNumber(text)
    const json = field.type === 'Array' ? parseJson(text) : text
    return json instanceof Unparsed ? text : json
  }
  const show = (item: unknown) =>
    isPointer(item) ? item.objectId : typeof item === 'string' ? item : JSON.stringify(item)
  const change = (texts: readonly string[]) => {
    const entered = texts.map(read)
    setWrong(entered.find((item) => item instanceof Unparsed) ?? null)
    const right = entered.filter((item) => !(item instanceof Unparsed))
    onChange(right.length === 0 ? undefined : right)
  }
  return (
    <div>
      <Select
        mode="tags"
        aria-label={label}
        placeholder={t('filter.several')}
        style={{ width: '100%' }}
        open={false}
        suffixIcon={null}
        tokenSeparators={[',']}
        status={wrong ? 'error' : ''}
        value={items.map(show)}
        onChange={change}
      />
      <EntryFault value={wrong} />
    </div>
  )
}

/** A coordinate of a point; undefined: empty */
type Coordinate = number | undefined | Unparsed

interface Near {
  readonly $nearSphere: GeoPointValue
  readonly $maxDistanceInKilometers?: number
}

/** Edits a point and a maximum distance. */
function NearEditor({ value, onChange }: { readonly value: unknown; onChange(value: unknown): void }) {
  const { t } = useTranslation('data')
  const [entered, setEntered] = useState(() => {
    const { $nearSphere: point, $maxDistanceInKilometers: far } = (value ?? {}) as Partial<Near>
    return { latitude: point?.latitude, longitude: point?.longitude, far } as Readonly<Record<string, Coordinate>>
  })
  const change = (part: Readonly<Record<string, Coordinate>>) => {
    const next = { ...entered, ...part }
    setEntered(next)
    onChange(nearOf(next))
  }
  return (
    <Flex wrap gap={8}>
      {(['latitude', 'longitude'] as const).map((name) => (
        <Degrees
          key={name}
          label={t(`geo.${name}`)}
          max={name === 'latitude' ? 90 : 180}
          value={entered[name]}
          onChange={(degrees) => change({ [name]: degrees })}
        />
      ))}
      <NumberInput
        aria-label={t('geo.within')}
        placeholder={t('geo.within')}
        min={0}
        style={{ width: 140 }}
        value={entered.far}
        onChange={(far) => change({ far })}
      />
    </Flex>
  )
}

function nearOf({ latitude, longitude, far }: Readonly<Record<string, Coordinate>>): Near | undefined | Unparsed {
  const point = geoPointOf({ latitude, longitude })
  if (point === undefined || point instanceof Unparsed) return point
  if (far instanceof Unparsed) return far
  return { $nearSphere: point, ...(far === undefined ? {} : { $maxDistanceInKilometers: far }) }
}

interface Box {
  readonly $box: readonly [GeoPointValue, GeoPointValue]
}

/** Edits a rectangle by its south-west and north-east corners; an empty edge defaults to that of the map. */
function BoxEditor({ value, onChange }: { readonly value: unknown; onChange(value: unknown): void }) {
  const { t } = useTranslation('data')
  const [edges, setEdges] = useState(() => {
    const [southWest, northEast] = ((value ?? {}) as Partial<Box>).$box ?? []
    return {
      south: southWest?.latitude,
      west: southWest?.longitude,
      north: northEast?.latitude,
      east: northEast?.longitude,
    } as Readonly<Record<string, Coordinate>>
  })
  const change = (edge: Readonly<Record<string, Coordinate>>) => {
    const next = { ...edges, ...edge }
    setEdges(next)
    onChange(boxOf(next))
  }
  return (
    <Flex wrap gap={8}>
      {(['south', 'west', 'north', 'east'] as const).map((edge) => (
        <Degrees
          key={edge}
          label={t(`geo.${edge}`)}
          max={edge === 'south' || edge === 'north' ? 90 : 180}
          value={edges[edge]}
          onChange={(degrees) => change({ [edge]: degrees })}
        />
      ))}
    </Flex>
  )
}

function boxOf(edges: Readonly<Record<string, Coordinate>>): Box | undefined | Unparsed {
  const wrong = Object.values(edges).find((edge) => edge instanceof Unparsed)
  if (wrong instanceof Unparsed) return wrong
  if (Object.values(edges).every((edge) => edge === undefined)) return undefined
  const { south = -90, west = -180, north = 90, east = 180 } = edges as Readonly<Record<string, number | undefined>>
  return {
    $box: [
      { __type: 'GeoPoint', latitude: south, longitude: west },
      { __type: 'GeoPoint', latitude: north, longitude: east },
    ],
  }
}

interface DegreesProps {
  readonly label: string
  readonly max: number
  readonly value: Coordinate
  onChange(value: Coordinate): void
}

function Degrees({ label, max, value, onChange }: DegreesProps) {
  return (
    <NumberInput
      aria-label={label}
      placeholder={label}
      min={-max}
      max={max}
      style={{ width: 130 }}
      value={value}
      onChange={onChange}
    />
  )
}

function JsonOperand({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: unknown
  onChange(value: unknown): void
}) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)))
  return (
    <div>
      <JsonEditor
        label={label}
        height="80px"
        value={text}
        onChange={(next) => {
          setText(next)
          onChange(next.trim() === '' ? undefined : parseJson(next))
        }}
      />
      <EntryFault value={value} />
    </div>
  )
}
