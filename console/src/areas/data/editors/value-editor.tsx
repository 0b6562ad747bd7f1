import { Input, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Field } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'
import { EntryFault } from '../../../parts/entry/entry-fault.tsx'
import { LocalTimeInput } from '../../../parts/entry/local-time-input.tsx'
import { NumberInput } from '../../../parts/entry/number-input.tsx'
import { Unparsed } from '../../../parts/entry/parse-entry.ts'
import { JsonEditor } from '../../../parts/json-editor.tsx'
import { aclOf, isDate, isFile, isGeoPoint, isPointer, isRecord } from '../values/typed-value.ts'
import { AclEditor } from './acl-editor.tsx'
import { FileEditor } from './file-editor.tsx'
import { GeoPointEditor } from './geo-point-editor.tsx'
import { parseField } from './parse-field.ts'
import { PointerEditor } from './pointer-editor.tsx'

export interface ValueEditorProps {
  readonly field: Field
  /** The label of the field, for screen readers. */
  readonly label: string
  /** undefined or null: no value yet */
  readonly value: unknown
  /** @param value undefined: empty; `Unparsed`: invalid for the type */
  onChange(value: unknown): void
}

/** Edits a value of a field by its type. Shows an error below an invalid value. */
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
      return <NumberInput aria-label={label} style={{ width: '100%' }} value={value} onChange={onChange} />
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
      return <LocalTimeInput aria-label={label} value={isDate(value) ? value.iso : value} onChange={onChange} />
    case 'GeoPoint':
      return <GeoPointEditor label={label} value={isGeoPoint(value) ? value : null} onChange={onChange} />
    case 'Pointer':
      return (
        <PointerEditor className={field.className ?? ''} value={isPointer(value) ? value : null} onChange={onChange} />
      )
    case 'File':
      return <FileEditor value={isFile(value) ? value : null} onChange={onChange} />
    case 'ACL':
      return <AclEditor value={aclOf(value)} onChange={onChange} />
    case 'Bytes':
      return <BytesEditor field={field} label={label} value={value} onChange={onChange} />
    default:
      return <JsonValueEditor field={field} label={label} value={value} onChange={onChange} />
  }
}

/** Bytes are edited in their wire format: base64. */
function BytesEditor({ field, label, value, onChange }: ValueEditorProps) {
  const [text, setText] = useState(() => base64In(value))
  return (
    <div>
      <Input.TextArea
        aria-label={label}
        aria-invalid={value instanceof Unparsed}
        status={value instanceof Unparsed ? 'error' : ''}
        autoSize={{ minRows: 2, maxRows: 12 }}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          onChange(parseField(field, event.target.value))
        }}
      />
      <EntryFault value={value} />
    </div>
  )
}

function base64In(value: unknown): string {
  const base64 = isRecord(value) ? ownMember(value, 'base64') : undefined
  return typeof base64 === 'string' ? base64 : ''
}

/** The initial content of the editor when there is no value. */
const EMPTY: { readonly [type: string]: unknown } = { Array: [], Any: '' }

/** Edits arrays and objects, and values of unknown types. */
function JsonValueEditor({ field, label, value, onChange }: ValueEditorProps) {
  const [text, setText] = useState(() => JSON.stringify(value ?? ownMember(EMPTY, field.type) ?? {}, null, 2))
  return (
    <div>
      <JsonEditor
        label={label}
        value={text}
        onChange={(next) => {
          setText(next)
          onChange(parseField(field, next))
        }}
      />
      <EntryFault value={value} />
    </div>
  )
}
