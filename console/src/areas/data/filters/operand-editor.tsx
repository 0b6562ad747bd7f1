import { Flex, Input, InputNumber, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Field } from '../../../api/classes.ts'
import { JsonEditor } from '../../../parts/json-editor.tsx'
import { PointerEditor } from '../editors/pointer-editor.tsx'
import { ValueEditor } from '../editors/value-editor.tsx'
import { type GeoPointValue, isPointer, pointerTo } from '../values/typed-value.ts'
import type { Operator } from './filter-tree.ts'

interface OperandEditorProps {
  readonly field: Field
  readonly operator: Operator
  readonly value: unknown
  onChange(value: unknown): void
}

/** Where the value of a filter is entered, by the type of the field and by what it is asked. */
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
        <InputNumber aria-label={label} min={0} value={value as number} onChange={(n) => onChange(n ?? undefined)} />
      )
    case 'near':
      return <NearEditor value={value as Near | undefined} onChange={onChange} />
    case 'within':
      return <BoxEditor value={value as Box | undefined} onChange={onChange} />
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

/** Several values, typed one after the other: numbers as numbers, ids as pointers, and all else as texts. */
function ListEditor({
  label,
  field,
  value,
  onChange,
}: Pick<OperandEditorProps, 'field' | 'value' | 'onChange'> & { readonly label: string }) {
  const { t } = useTranslation('data')
  const items = Array.isArray(value) ? (value as unknown[]) : []
  const read = (text: string): unknown => {
    if (field.type === 'Pointer') return pointerTo(field.className ?? '', text)
    if (field.type === 'Number') return Number(text)
    return field.type === 'Array' && isJson(text) ? JSON.parse(text) : text
  }
  const show = (item: unknown) =>
    isPointer(item) ? item.objectId : typeof item === 'string' ? item : JSON.stringify(item)
  return (
    <Select
      mode="tags"
      aria-label={label}
      placeholder={t('filter.several')}
      style={{ width: '100%' }}
      open={false}
      suffixIcon={null}
      tokenSeparators={[',']}
      value={items.map(show)}
      onChange={(texts: string[]) => onChange(texts.length === 0 ? undefined : texts.map(read))}
    />
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

interface Near {
  readonly $nearSphere: GeoPointValue
  readonly $maxDistanceInKilometers?: number
}

/** A place, and how far away others may be. */
function NearEditor({ value, onChange }: { readonly value: Near | undefined; onChange(value: Near): void }) {
  const { t } = useTranslation('data')
  const { latitude = 0, longitude = 0 } = value?.$nearSphere ?? {}
  const change = (lat: number | null, long: number | null, far: number | null | undefined) =>
    onChange({
      $nearSphere: { __type: 'GeoPoint', latitude: lat ?? 0, longitude: long ?? 0 },
      ...(typeof far === 'number' ? { $maxDistanceInKilometers: far } : {}),
    })
  const far = value?.$maxDistanceInKilometers
  return (
    <Flex wrap gap={8}>
      <Degrees
        label={t('geo.latitude')}
        most={90}
        value={value && latitude}
        onChange={(n) => change(n, longitude, far)}
      />
      <Degrees
        label={t('geo.longitude')}
        most={180}
        value={value && longitude}
        onChange={(n) => change(latitude, n, far)}
      />
      <InputNumber
        aria-label={t('geo.within')}
        placeholder={t('geo.within')}
        min={0}
        style={{ width: 140 }}
        value={far ?? null}
        onChange={(n) => change(latitude, longitude, n)}
      />
    </Flex>
  )
}

interface Box {
  readonly $box: readonly [GeoPointValue, GeoPointValue]
}

/** A rectangle by its south-west and its north-east corner. */
function BoxEditor({ value, onChange }: { readonly value: Box | undefined; onChange(value: Box): void }) {
  const { t } = useTranslation('data')
  const [southWest, northEast] = value?.$box ?? []
  const edges = {
    south: southWest?.latitude,
    west: southWest?.longitude,
    north: northEast?.latitude,
    east: northEast?.longitude,
  }
  const change = (edge: object) => {
    const { south = -90, west = -180, north = 90, east = 180 } = { ...edges, ...edge }
    onChange({
      $box: [
        { __type: 'GeoPoint', latitude: south, longitude: west },
        { __type: 'GeoPoint', latitude: north, longitude: east },
      ],
    })
  }
  return (
    <Flex wrap gap={8}>
      {(['south', 'west', 'north', 'east'] as const).map((edge) => (
        <Degrees
          key={edge}
          label={t(`geo.${edge}`)}
          most={edge === 'south' || edge === 'north' ? 90 : 180}
          value={edges[edge]}
          onChange={(n) => change({ [edge]: n ?? undefined })}
        />
      ))}
    </Flex>
  )
}

interface DegreesProps {
  readonly label: string
  readonly most: number
  readonly value: number | undefined
  onChange(value: number | null): void
}

function Degrees({ label, most, value, onChange }: DegreesProps) {
  return (
    <InputNumber
      aria-label={label}
      placeholder={label}
      min={-most}
      max={most}
      style={{ width: 110 }}
      value={value ?? null}
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
    <JsonEditor
      label={label}
      height="80px"
      value={text}
      onChange={(next) => {
        setText(next)
        onChange(isJson(next) ? JSON.parse(next) : undefined)
      }}
    />
  )
}
