import { Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../i18n/format.ts'
import { Table, useNamedArrows } from '../../../parts/table.tsx'
import { Wide } from '../../../parts/wide.tsx'
import { usePartName } from '../part-name.ts'

interface CountTableProps<Row extends { readonly name: string }> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly {
    readonly title: string
    /** The content of the cell; numbers are formatted, null is left empty. */
    readonly value: (row: Row) => number | string | null
    /** Whether a number other than 0 is a fault. */
    readonly isFault?: boolean
  }[]
}

/** Counts by class or other part. Unused built-in classes are omitted. */
export function CountTable<Row extends { readonly name: string }>({ label, rows, columns }: CountTableProps<Row>) {
  const { t } = useTranslation('movingIn')
  const { number } = useFormat()
  const partName = usePartName()
  const itemRender = useNamedArrows()
  const used = rows.filter((row) => !isUnused(row))
  if (used.length === 0) return <Typography.Text type="secondary">{t('report.none')}</Typography.Text>
  return (
    <Wide label={label}>
      <Table
        size="small"
        rowKey="name"
        dataSource={used}
        pagination={used.length > 20 && { pageSize: 20, showSizeChanger: false, itemRender }}
        columns={[
          { title: t('report.of'), dataIndex: 'name', render: (name: string) => partName(name) },
          ...columns.map(({ title, value, isFault }) => ({
            title,
            key: title,
            align: 'right' as const,
            render: (_: unknown, row: Row) => {
              const shown = value(row)
              if (typeof shown !== 'number') return shown
              return isFault && shown > 0 ? (
                <Typography.Text strong type="danger">
                  {number(shown)}
                </Typography.Text>
              ) : (
                number(shown)
              )
            },
          })),
        ]}
      />
    </Wide>
  )

  /** Returns whether the row is a built-in class, or a part of one, without data; unknown counts are shown. */
  function isUnused(row: Row): boolean {
    const values = columns.map(({ value }) => value(row))
    return (
      row.name.startsWith('_') && values[0] === 0 && !values.some((shown) => typeof shown === 'number' && shown > 0)
    )
  }
}
