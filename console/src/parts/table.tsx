import { Table as AntTable, type TablePaginationConfig, type TableProps } from 'antd'
import { cloneElement, isValidElement, type ReactElement, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Guarded } from './boundary.tsx'
import { shownText } from './shown-text.ts'

/**
 * A table of antd that the keyboard can scroll where it is wider than its place, whatever is in it (WCAG 2.1.1). The
 * column with the key `actions` stays at the edge then, so that its buttons are there on a phone too. A cell whose data
 * cannot be shown does not break the table.
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

/** Cells without a way of their own show the text of their value. */
function guarded<Row>(render: Render<Row>): NonNullable<Render<Row>> {
  return (value: unknown, row: Row, index: number) => (
    <Guarded render={() => (render ? (render(value, row, index) as ReactNode) : shownText(value))} />
  )
}

/** How pages are shown: the arrows before and behind them have no text, and get a name. */
export function useNamedArrows(): NonNullable<TablePaginationConfig['itemRender']> {
  const { t } = useTranslation('parts')
  return (_, type, item) => {
    if ((type !== 'prev' && type !== 'next') || !isValidElement(item)) return item
    return cloneElement(item as ReactElement<{ 'aria-label': string }>, { 'aria-label': t(`pages.${type}`) })
  }
}

/** Made once, and called when a table has come. */
function letFocus(table: { readonly nativeElement: HTMLElement } | null): void {
  for (const scrolled of table?.nativeElement.querySelectorAll('.ant-table-content, .ant-table-body') ?? [])
    scrolled.setAttribute('tabindex', '0')
}
