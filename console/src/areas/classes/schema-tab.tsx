import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Flex, Tag, Tooltip, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClassDescription, Field } from '../../api/classes.ts'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { Table } from '../../parts/table.tsx'
import { FieldDialog } from './field-dialog.tsx'
import { optionsOf } from './field-options.ts'
import { RemoveField } from './remove-field.tsx'
import { TitleFieldChoice } from './title-field-choice.tsx'

/** The fields of every object. */
const SYSTEM_FIELDS: { readonly [name: string]: Field } = {
  objectId: { type: 'String' },
  ACL: { type: 'ACL' },
  createdAt: { type: 'Date' },
  updatedAt: { type: 'Date' },
}

interface Row {
  readonly name: string
  readonly field: Field
  readonly isSystem: boolean
}

/** The fields of a class with their types and options. */
export function SchemaTab({ description }: { readonly description: ClassDescription }) {
  const { t } = useTranslation('classes')
  const { canChange } = useApp()
  const [edited, setEdited] = useState<string | 'new' | null>(null)
  const [removed, setRemoved] = useState<string | null>(null)
  const own = Object.entries(description.fields).map(([name, field]) => ({ name, field, isSystem: false }))
  const system = Object.entries(SYSTEM_FIELDS).map(([name, field]) => ({ name, field, isSystem: true }))
  const rows: Row[] = [...system.slice(0, 1), ...own, ...system.slice(1)]
  return (
    <Card
      styles={{ body: { padding: 0 } }}
      title={t('schema.title', { count: own.length })}
      extra={
        canChange && (
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
            {t('schema.add')}
          </Button>
        )
      }
    >
      <TitleFieldChoice description={description} />
      <Table<Row>
        rowKey="name"
        dataSource={rows}
        pagination={rows.length > 100 ? { pageSize: 100 } : false}
        scroll={{ x: 640 }}
        columns={[
          {
            title: t('schema.name'),
            dataIndex: 'name',
            render: (name: string, { isSystem }) => (
              <Typography.Text
                strong={!isSystem}
                type={isSystem ? 'secondary' : undefined}
                style={{ wordBreak: 'break-word' }}
              >
                {name}
              </Typography.Text>
            ),
          },
          { title: t('schema.type'), key: 'type', render: (_, { field }) => typeOf(field) },
          { title: t('schema.options'), key: 'options', render: (_, row) => <Options row={row} /> },
          ...(canChange
            ? [
                {
                  title: <span className="only-heard">{t('schema.actions')}</span>,
                  key: 'actions',
                  width: 96,
                  render: (_: unknown, { name, isSystem }: Row) =>
                    !isSystem && (
                      <Flex justify="end">
                        <Tooltip title={t('schema.change')}>
                          <Button
                            type="text"
                            icon={<EditOutlined />}
                            aria-label={t('schema.changeOf', { name })}
                            onClick={() => setEdited(name)}
                          />
                        </Tooltip>
                        <Tooltip title={t('schema.remove')}>
                          <Button
                            type="text"
                            icon={<DeleteOutlined />}
                            aria-label={t('schema.removeOf', { name })}
                            onClick={() => setRemoved(name)}
                          />
                        </Tooltip>
                      </Flex>
                    ),
                },
              ]
            : []),
        ]}
      />
      {edited !== null && (
        <FieldDialog
          description={description}
          name={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
      {removed !== null && (
        <RemoveField className={description.className} field={removed} onClose={() => setRemoved(null)} />
      )}
    </Card>
  )
}

function typeOf({ type, className }: Field): string {
  return className === undefined ? type : `${type} → ${className}`
}

function Options({ row: { field, isSystem } }: { readonly row: Row }) {
  const { t } = useTranslation('classes')
  if (isSystem) return <Typography.Text type="secondary">{t('schema.system')}</Typography.Text>
  return (
    <Flex wrap gap={4} align="center">
      {optionsOf(field).map((option) => (
        <Tag key={option}>{t(`option.${option}.name`)}</Tag>
      ))}
      {field.default !== undefined && (
        <Tag>{t('schema.default', { value: JSON.stringify(field.default).slice(0, 60) })}</Tag>
      )}
      {typeof field.comment === 'string' && <Typography.Text type="secondary">{field.comment}</Typography.Text>}
    </Flex>
  )
}
