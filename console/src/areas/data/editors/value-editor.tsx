import { Input, InputNumber, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Field } from '../../../api/classes.ts'
import { JsonEditor } from '../../../parts/json-editor.tsx'
import type { Acl } from '../data-queries.ts'
import { fromLocalInput, toLocalInput } from '../values/local-time.ts'
import { isDate, isFile, isGeoPoint, isPointer } from '../values/typed-value.ts'
import { AclEditor } from './acl-editor.tsx'
import { FileEditor } from './file-editor.tsx'
import { GeoPointEditor } from './geo-point-editor.tsx'
import { PointerEditor } from './pointer-editor.tsx'

export interface ValueEditorProps {
  readonly field: Field
  /** Of the field, for screen readers. */
  readonly label: string
  /** undefined or null: there is none yet */
  readonly value: unknown
  /** @param value undefined while what was entered is no value of the type */
  onChange(value: unknown): void
}

/** Where a value of a field is entered, by the type of the field. */
export function ValueEditor({ field, label, value, onChange }: ValueEditorProps) {
  const { t } = useTranslation('data')
  switch (field.type) {
    case 'String':
      return (
        <Input.TextArea
          aria-label={label}
          autoSize={{ minRows: 2, maxRows: 16 }}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.target.value)}
        />
      )
    case 'Number':
      return (
        <InputNumber
          aria-label={label}
          style={{ width: '100%' }}
          value={typeof value === 'number' ? value : null}
          onChange={(number) => onChange(typeof number === 'number' ? number : undefined)}
        />
      )
    case 'Boolean':
      return (
        <Radio.Group
          aria-label={label}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          options={[
            { value: true, label: t('value.true') },
            { value: false, label: t('value.false') },
          ]}
        />
      )
    case 'Date':
      return (
        <Input
          type="datetime-local"
          step={0.001}
          aria-label={label}
          value={isDate(value) ? toLocalInput(value.iso) : ''}
          onChange={(event) => onChange(fromLocalInput(event.target.value))}
        />
      )
    case 'GeoPoint':
      return <GeoPointEditor label={label} value={isGeoPoint(value) ? value : null} onChange={onChange} />
    case 'Pointer':
      return (
        <PointerEditor className={field.className ?? ''} value={isPointer(value) ? value : null} onChange={onChange} />
      )
    case 'File':
      return <FileEditor value={isFile(value) ? value : null} onChange={onChange} />
    case 'ACL':
      return <AclEditor value={(value ?? {}) as Acl} onChange={onChange} />
    case 'Bytes':
      return <BytesEditor label={label} value={value} onChange={onChange} />
    default:
      return <JsonValueEditor field={field} label={label} value={value} onChange={onChange} />
  }
}

/** Bytes are entered as they are on the wire: in base64. */
function BytesEditor({ label, value, onChange }: Omit<ValueEditorProps, 'field'>) {
  const base64 = (value as { base64?: string } | null | undefined)?.base64 ?? ''
  return (
    <Input.TextArea
      aria-label={label}
      autoSize={{ minRows: 2, maxRows: 12 }}
      value={base64}
      onChange={(event) => onChange({ __type: 'Bytes', base64: event.target.value.trim() })}
    />
  )
}

/** Arrays and objects, and what is of a type that this console does not know. */
function JsonValueEditor({ field, label, value, onChange }: ValueEditorProps) {
  const [text, setText] = useState(() => JSON.stringify(value ?? (field.type === 'Array' ? [] : {}), null, 2))
  return (
    <JsonEditor
      label={label}
      value={text}
      onChange={(next) => {
        setText(next)
        onChange(parsed(next))
      }}
    />
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
