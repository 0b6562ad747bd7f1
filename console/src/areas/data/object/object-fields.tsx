import { EditOutlined } from '@ant-design/icons'
import { Button, Flex, Typography, theme } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClassDescription, Field } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'
import { useApp } from '../../../api/use-app.ts'
import { Boundary } from '../../../parts/boundary.tsx'
import { StoredLink } from '../../../parts/outside-link.tsx'
import type { DataObject } from '../data-queries.ts'
import { ValueDialog } from '../editors/value-dialog.tsx'
import { cellKey, useEdits } from '../edits/edits.tsx'
import { mayChangeRows } from '../edits/row-rules.ts'
import { isEditable } from '../grid/use-grid-columns.tsx'
import { PointerLink } from '../titles/pointer-link.tsx'
import { CellValue } from '../values/cell-value.tsx'
import { Thumbnail } from '../values/thumbnail.tsx'
import { fileName, isFile, isPointer } from '../values/typed-value.ts'
import { RelationMembers } from './relation-members.tsx'

interface ObjectFieldsProps {
  readonly description: ClassDescription
  readonly object: DataObject
}

/** The fields of one object in a list, with edit controls. */
export function ObjectFields({ description, object }: ObjectFieldsProps) {
  const { t } = useTranslation('data')
  const { token } = theme.useToken()
  const { canChange } = useApp()
  const edits = useEdits()
  const [edited, setEdited] = useState<string | null>(null)
  const { className } = description
  const fields: { readonly [name: string]: Field } = {
    ...description.fields,
    createdAt: { type: 'Date' },
    updatedAt: { type: 'Date' },
    ACL: { type: 'ACL' },
  }
  return (
    <Flex vertical>
      {Object.entries(fields).map(([name, field]) => (
        <Flex
          key={name}
          vertical
          gap={4}
          style={{ padding: '10px 0', borderBottom: `1px solid ${token.colorBorderSecondary}` }}
        >
          <Flex justify="space-between" align="center" gap={8} style={{ minHeight: 24 }}>
            <Typography.Text type="secondary" translate="no">
              {name} {name !== field.type && field.type}
            </Typography.Text>
            {canChange && mayChangeRows(className) && isEditable(name, field) && (
              <Button
                type="text"
                size="small"
                icon={<EditOutlined />}
                aria-label={t('object.edit', { name })}
                onClick={() => setEdited(name)}
              />
            )}
          </Flex>
          {field.type === 'Relation' ? (
            <RelationMembers className={className} objectId={object.objectId} name={name} field={field} />
          ) : (
            <Boundary>
              <FullValue field={field} value={ownMember(object, name)} />
            </Boundary>
          )}
          {edits.faults.has(cellKey(object.objectId, name)) && (
            <Typography.Text type="danger" role="alert">
              {edits.faults.get(cellKey(object.objectId, name))}
            </Typography.Text>
          )}
        </Flex>
      ))}
      {edited !== null && (
        <ValueDialog
          name={edited}
          field={fields[edited]!}
          value={ownMember(object, edited)}
          onSave={(value) => void edits.save(className, object, edited, value)}
          onClose={() => setEdited(null)}
        />
      )}
    </Flex>
  )
}

/** A value at full length. */
function FullValue({ field, value }: { readonly field: Field; readonly value: unknown }) {
  const { t } = useTranslation('data')
  if (value === undefined) return <Typography.Text type="secondary">{t('value.unset')}</Typography.Text>
  if (isFile(value)) {
    return (
      <Flex vertical gap={8} align="start">
        <Thumbnail file={value} size={160} fallback={null} canLoad />
        <StoredLink url={value.url} text={fileName(value)} />
      </Flex>
    )
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isPointer))
    return (
      <Flex vertical align="start">
        {value.map((pointer, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same pointer may be there twice
          <PointerLink key={index} pointer={pointer} />
        ))}
      </Flex>
    )
  if (typeof value === 'string' && value !== '' && field.type !== 'Date')
    return <div style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{value}</div>
  if (value !== null && (field.type === 'Object' || field.type === 'Array'))
    return (
      <pre style={{ margin: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', fontSize: 12 }}>
        {JSON.stringify(value, null, 2)}
      </pre>
    )
  return (
    <div>
      <CellValue field={field} value={value} />
    </div>
  )
}
