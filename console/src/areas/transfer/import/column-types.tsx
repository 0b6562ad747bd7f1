import { Select, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { Table } from '../../../parts/table.tsx'
import type { Column } from '../export/columns.ts'
import { CELL_TYPES } from './cells.ts'
import type { Understood } from './read-file.ts'
import { LEFT_OUT } from './rows.ts'

interface ColumnTypesProps {
  readonly understood: Understood
  onChange(columns: readonly Column[]): void
}

interface Row extends Column {
  readonly index: number
  readonly examples: readonly string[]
}

/** The columns of a file with their detected types, and the first rows. */
export function ColumnTypes({ understood: { form, columns, examples }, onChange }: ColumnTypesProps) {
  const { t } = useTranslation('transfer')
  const change = (index: number, type: string) =>
    onChange(columns.map((column, position) => (position === index ? { ...column, type } : column)))
  const typeChoice = ({ index, name, type }: Row) => (
    <Select
      aria-label={t('import.typeOf', { name })}
      value={type}
      style={{ width: '100%' }}
      options={[...new Set([type, ...CELL_TYPES].filter((one) => one !== LEFT_OUT))]
        .map((value) => ({ value, label: value }))
        .concat({ value: LEFT_OUT, label: t('import.leftOut') })}
      onChange={(chosen) => change(index, chosen)}
    />
  )
  return (
    <Table<Row>
      size="small"
      rowKey="index"
      pagination={false}
      scroll={{ x: 480, y: 280 }}
      dataSource={columns.map((column, index) => ({ ...column, index, examples: examples[index] ?? [] }))}
      columns={[
        { title: t('import.column'), dataIndex: 'name', width: 150, render: (name: string) => <strong>{name}</strong> },
        {
          title: t('import.type'),
          key: 'type',
          width: 160,
          render: (_, row) => (form === 'csv' ? typeChoice(row) : row.type),
        },
        {
          title: t('import.examples'),
          key: 'examples',
          render: (_, row) => (
            <Typography.Text type="secondary" style={{ wordBreak: 'break-word' }}>
              {row.examples.map((example) => example.slice(0, 40)).join(' · ')}
            </Typography.Text>
          ),
        },
      ]}
    />
  )
}
