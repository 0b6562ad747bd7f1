import { Table as AntTable, type TablePaginationConfig, type TableProps } from 'antd'
import { cloneElement, isValidElement, type ReactElement, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Guarded } from './boundary.tsx'
import { shownText } from './shown-text.ts'

/**
 * An antd table that the keyboard can scroll when it is too wide, whatever its content (WCAG 2.1.1). The column with the key
 * `actions` then stays at the edge, so that its buttons are visible on phones. A cell that cannot be rendered does not break the
 * table.
 */
export function Table<Row extends object>({ pagination, columns, ...props }: TableProps<Row>) {
  const itemRender = useNamedArrows()
  const kept = columns?.map((column) => ({
    ...column,
    ...(column.key === 'actions' && { fixed: 'end' as const }),
    ...('children' in column ? {} : { render: guarded(column.render) }),
  }))
  return (
    <AntTable
      {...props}
      {...(kept && { columns: kept })}
      pagination={pagination !== false && { ...pagination, itemRender }}
      ref={letFocus}
    />
  )
}

type Render<Row> = NonNullable<TableProps<Row>['columns']>[number]['render']

/** Guards a cell renderer. Cells without one show their value as text. */
function guarded<Row>(render: Render<Row>): NonNullable<Render<Row>> {
  return (value: unknown, row: Row, index: number) => (
    <Guarded render={() => (render ? (render(value, row, index) as ReactNode) : shownText(value))} />
  )
}

/** Returns a renderer of the pagination that labels its arrows. */
export function useNamedArrows(): NonNullable<TablePaginationConfig['itemRender']> {
  const { t } = useTranslation('parts')
  return (_, type, item) => {
    if ((type !== 'prev' && type !== 'next') || !isValidElement(item)) return item
    return cloneElement(item as ReactElement<{ 'aria-label': string }>, { 'aria-label': t(`pages.${type}`) })
  }
}

/** Makes a table focusable. Defined once, and called when a table is mounted. */
function letFocus(table: { readonly nativeElement: HTMLElement } | null): void {
  for (const scrolled of table?.nativeElement.querySelectorAll('.ant-table-content, .ant-table-body') ?? [])
    scrolled.setAttribute('tabindex', '0')
}
